import { describe, expect, test } from "vitest";
import type { Shell } from "../../../src/commands/completion/shell-scripts.js";
import { type SetupSurroundings, type ShellSetup, shellSetup } from "../../../src/commands/completion/shell-setup.js";

function setup(shell: Shell, surroundings: Partial<SetupSurroundings> = {}): ShellSetup {
  return shellSetup(shell, {
    program: "kubets",
    platform: "linux",
    env: { HOME: "/home/me" },
    exists: () => false,
    ...surroundings,
  });
}

describe("the completion script that is installed", () => {
  test.each<[name: string, shell: Shell, env: Record<string, string>, file: string]>([
    ["of bash is in the data folder", "bash", {}, "/home/me/.local/share/kubets/completion/kubets.bash"],
    ["of bash follows XDG_DATA_HOME", "bash", { XDG_DATA_HOME: "/data" }, "/data/kubets/completion/kubets.bash"],
    [
      "does not follow a relative XDG_DATA_HOME",
      "bash",
      { XDG_DATA_HOME: "data" },
      "/home/me/.local/share/kubets/completion/kubets.bash",
    ],
    ["of zsh is alone in a folder, for fpath", "zsh", {}, "/home/me/.local/share/kubets/completion/zsh/_kubets"],
    ["of fish is where fish looks", "fish", {}, "/home/me/.config/fish/completions/kubets.fish"],
    ["of fish follows XDG_CONFIG_HOME", "fish", { XDG_CONFIG_HOME: "/conf" }, "/conf/fish/completions/kubets.fish"],
    ["of PowerShell is in the data folder", "powershell", {}, "/home/me/.local/share/kubets/completion/kubets.ps1"],
  ])("%s", (_name, shell, env, file) => {
    expect(setup(shell, { env: { HOME: "/home/me", ...env } }).script).toBe(file);
  });

  test("is named after the program, so that kubets and a link named kubectl have one each", () => {
    const names = (["bash", "zsh", "fish", "powershell"] as const).map((shell) =>
      setup(shell, { program: "kubectl" }).script.replace(/.*\//, ""),
    );
    expect(names).toEqual(["kubectl.bash", "_kubectl", "kubectl.fish", "kubectl.ps1"]);
  });

  test("has folders that uninstall removes with it, but never the user's own", () => {
    expect(setup("zsh").scriptFolders).toEqual([
      "/home/me/.local/share/kubets/completion/zsh",
      "/home/me/.local/share/kubets/completion",
      "/home/me/.local/share/kubets",
    ]);
    expect(setup("fish").scriptFolders).toEqual([]);
  });
});

describe("the start-up file that the installation changes", () => {
  const existing = (...names: readonly string[]) => ({
    platform: "darwin" as const,
    exists: (file: string) => names.some((name) => file === `/home/me/${name}`),
  });

  test.each<[name: string, shell: Shell, surroundings: Partial<SetupSurroundings>, file: string]>([
    ["bash", "bash", {}, "/home/me/.bashrc"],
    ["bash, whatever else there is", "bash", { exists: () => true }, "/home/me/.bashrc"],
    ["bash on macOS", "bash", existing(), "/home/me/.bash_profile"],
    ["bash on macOS with a .bashrc", "bash", existing(".bashrc"), "/home/me/.bash_profile"],
    ["bash on macOS with a .profile", "bash", existing(".profile"), "/home/me/.profile"],
    ["bash on macOS with two of them", "bash", existing(".profile", ".bash_login"), "/home/me/.bash_login"],
    ["zsh", "zsh", {}, "/home/me/.zshrc"],
    ["zsh with ZDOTDIR", "zsh", { env: { HOME: "/home/me", ZDOTDIR: "/zsh" } }, "/zsh/.zshrc"],
    ["PowerShell", "powershell", {}, "/home/me/.config/powershell/Microsoft.PowerShell_profile.ps1"],
    [
      "PowerShell with XDG_CONFIG_HOME",
      "powershell",
      { env: { HOME: "/home/me", XDG_CONFIG_HOME: "/conf" } },
      "/conf/powershell/Microsoft.PowerShell_profile.ps1",
    ],
  ])("is of %s", (_name, shell, surroundings, file) => {
    expect(setup(shell, surroundings).startUp?.file).toBe(file);
  });

  test("does not exist for fish", () => {
    expect(setup("fish").startUp).toBeUndefined();
  });

  test("is listed with other files that bash may have read at an earlier installation", () => {
    expect(setup("bash").startUp?.otherFiles).toEqual([
      "/home/me/.bash_profile",
      "/home/me/.bash_login",
      "/home/me/.profile",
    ]);
    expect(setup("bash", existing(".profile")).startUp?.otherFiles).toEqual([
      "/home/me/.bash_profile",
      "/home/me/.bash_login",
      "/home/me/.bashrc",
    ]);
    const zsh = setup("zsh", { env: { HOME: "/home/me", ZDOTDIR: "/zsh" } });
    expect(zsh.startUp?.otherFiles).toEqual(["/home/me/.zshrc"]);
  });

  test("is unknown without a home folder", () => {
    for (const env of [{}, { HOME: "" }, { HOME: "me" }]) {
      expect(() => setup("bash", { env })).toThrow("HOME is not set to an absolute path");
    }
  });
});

describe("the lines that the installation adds to a start-up file", () => {
  const bashLine = (surroundings: Partial<SetupSurroundings>) => setup("bash", surroundings).startUp?.lines[1];

  test("name paths below the home folder by $HOME, so that machines can share the file", () => {
    expect(bashLine({})).toBe('  . "$HOME/.local/share/kubets/completion/kubets.bash"');
    expect(bashLine({ env: { HOME: "/home/me/" } })).toBe('  . "$HOME/.local/share/kubets/completion/kubets.bash"');
  });

  test("name other paths as they are, in quotes", () => {
    const env = { HOME: "/home/me", XDG_DATA_HOME: '/mnt/my $data\\"`' };
    expect(bashLine({ env })).toBe('  . "/mnt/my \\$data\\\\\\"\\`/kubets/completion/kubets.bash"');
    const powershell = setup("powershell", { env: { HOME: "/home/me", XDG_DATA_HOME: "/mnt/$a”`" } });
    expect(powershell.startUp?.lines[0]).toContain('. "/mnt/`$a`”``/kubets/completion/kubets.ps1"');
  });

  test("have an effect only in bash when they are in ~/.profile, which other shells read too", () => {
    const profile = setup("bash", { platform: "darwin", exists: (file) => file.endsWith("/.profile") });
    expect(profile.startUp?.lines[0]).toMatch(/^if \[ -n "\$\{BASH_VERSION-\}" \] && /);
  });
});

describe("installing completion on Windows", () => {
  const DOCUMENTS = "C:\\Users\\me\\OneDrive\\Documents";
  const env = {
    USERPROFILE: "C:\\Users\\me",
    LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local",
    ProgramFiles: "C:\\Program Files",
    SystemRoot: "C:\\Windows",
  };
  const SHARED =
    "C:\\Program Files\\WindowsPowerShell\\Modules;C:\\WINDOWS\\system32\\WindowsPowerShell\\v1.0\\Modules";
  const windows = (PSModulePath: string) => setup("powershell", { platform: "win32", env: { ...env, PSModulePath } });

  test.each([
    ["PowerShell 7", "PowerShell"],
    ["Windows PowerShell 5.1", "WindowsPowerShell"],
  ])("changes the profile of %s beside the user's modules", (_name, folder) => {
    const { startUp, script } = windows(`${DOCUMENTS}\\${folder}\\Modules;${SHARED}`);
    expect(startUp?.file).toBe(`${DOCUMENTS}\\${folder}\\Microsoft.PowerShell_profile.ps1`);
    expect(script).toBe("C:\\Users\\me\\AppData\\Local\\kubets\\completion\\kubets.ps1");
    expect(startUp?.lines[0]).toContain('. "$HOME\\AppData\\Local\\kubets\\completion\\kubets.ps1"');
    expect(startUp?.lineEnd).toBe("\r\n");
  });

  test("does not know the place of PowerShell's profile outside of PowerShell", () => {
    for (const modules of ["", SHARED]) {
      expect(() => windows(modules)).toThrow("run this command in PowerShell, or add the line to $PROFILE by hand");
    }
  });

  test("writes for a bash ~/.bashrc, and paths with slashes", () => {
    const { startUp } = setup("bash", { platform: "win32", env });
    expect(startUp?.file).toBe("C:\\Users\\me\\.bashrc");
    expect(startUp?.lines[1]).toBe('  . "$HOME/AppData/Local/kubets/completion/kubets.bash"');
  });
});
