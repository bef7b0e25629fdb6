import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliResult, type CliSurroundings, runCli } from "../../helpers/run-cli.js";

const SCRIPT = ".local/share/kubets/completion/kubets.bash";
const BLOCK = `# >>> completion of kubets (kubets completion install) >>>
if [ -r "$HOME/${SCRIPT}" ]; then
  . "$HOME/${SCRIPT}"
fi
# <<< completion of kubets <<<
`;
const MADE = BLOCK.replace("install)", "install; made this file)");

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "kubets-install-")));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function completion(line: string, surroundings: CliSurroundings = {}): Promise<CliResult> {
  const { env, ...rest } = surroundings;
  return runCli(["completion", ...line.split(" ")], {
    env: { HOME: home, SHELL: "/bin/bash", ...env },
    cwd: home,
    program: "kubets",
    ...rest,
  });
}

const read = (file: string): string => readFileSync(join(home, file), "latin1");
const write = (file: string, content: string | Buffer): void => {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), content);
};
const printed = async (shell: string, program = "kubets"): Promise<string> =>
  (await completion(shell, { program })).stdout;

/** Every file below the home folder, with its content. */
function files(): Readonly<Record<string, string>> {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.filter((name) => statSync(join(home, name)).isFile()).map((name) => [name, read(name)]),
  );
}

describe("completion install", () => {
  test("saves the script and adds the lines that load it", async () => {
    write(".bashrc", "alias a=b\n");
    const { code, stderr } = await completion("install bash --yes");
    expect([code, stderr]).toEqual([0, ""]);
    expect(files()).toEqual({ ".bashrc": `alias a=b\n${BLOCK}`, [SCRIPT]: await printed("bash") });
  });

  test("shows the files and the lines before it asks", async () => {
    write(".bashrc", "");
    const { stdout } = await completion("install bash --yes");
    expect(stdout).toBe(`${home}/${SCRIPT} will be written: what \`kubets completion bash\` prints.

These lines will be added to the end of ${home}/.bashrc:

    # >>> completion of kubets (kubets completion install) >>>
    if [ -r "$HOME/${SCRIPT}" ]; then
      . "$HOME/${SCRIPT}"
    fi
    # <<< completion of kubets <<<

completion of kubets installed for bash: shells that start from now on have it
`);
  });

  test("creates the start-up file when there is none", async () => {
    const { stdout } = await completion("install bash -y");
    expect(stdout).toContain(`${home}/.bashrc will be made, with these lines:`);
    expect(read(".bashrc")).toBe(MADE);
  });

  test.each([
    ["zsh", [".local/share/kubets/completion/zsh/_kubets", ".zshrc"]],
    ["fish", [".config/fish/completions/kubets.fish"]],
    [
      "powershell",
      [".config/powershell/Microsoft.PowerShell_profile.ps1", ".local/share/kubets/completion/kubets.ps1"],
    ],
  ])("changes for %s only its own files", async (shell, names) => {
    expect(await completion(`install ${shell} --yes`)).toMatchObject({ code: 0, stderr: "" });
    const script = names.find((name) => /_kubets$|kubets\.(?:fish|ps1)$/.test(name)) ?? "";
    expect(Object.keys(files())).toEqual(names);
    expect(read(script)).toBe(await printed(shell));
  });

  test("installs for the program's name: a link named kubectl gets a script and lines beside those of kubets", async () => {
    await completion("install --yes");
    await completion("install --yes", { program: "kubectl" });
    expect(read(".bashrc")).toBe(
      `${MADE}${BLOCK.replaceAll("completion of kubets", "completion of kubectl").replaceAll("kubets.bash", "kubectl.bash")}`,
    );
    expect(read(SCRIPT.replace("kubets.bash", "kubectl.bash"))).toBe(await printed("bash", "kubectl"));
  });

  test("changes nothing the second time, and prints that without a question", async () => {
    await completion("install --yes");
    const before = files();
    expect(await completion("install")).toEqual({
      code: 0,
      stdout: "completion of kubets is already installed for bash\n",
      stderr: "",
    });
    expect(files()).toEqual(before);
  });

  test("updates a script of an earlier version, and leaves the lines", async () => {
    await completion("install --yes");
    const rc = read(".bashrc");
    write(SCRIPT, `${read(SCRIPT).split("\n")[0]}\n# of an earlier version\n`);
    const { stdout } = await completion("install --yes");
    expect(stdout).toContain(`${SCRIPT} will be brought up to date: what`);
    expect(stdout).not.toContain(".bashrc");
    expect(files()).toEqual({ ".bashrc": rc, [SCRIPT]: await printed("bash") });
  });

  test("replaces lines for another data folder", async () => {
    write(".bashrc", "a\n");
    await completion("install --yes");
    write(".bashrc", `${read(".bashrc")}b\n`);
    const { stdout } = await completion("install --yes", { env: { XDG_DATA_HOME: join(home, "data") } });
    expect(stdout).toContain("These lines will take the place of those between the same comments");
    expect(read(".bashrc")).toBe(`a\n${BLOCK.replaceAll(".local/share", "data")}b\n`);
  });

  test("keeps a link into a dotfiles folder, and the mode of its target", async () => {
    write("dotfiles/bashrc", "a\n");
    chmodSync(join(home, "dotfiles/bashrc"), 0o600);
    symlinkSync("dotfiles/bashrc", join(home, ".bashrc"));
    const { stdout } = await completion("install --yes");
    expect(stdout).toContain(`${home}/.bashrc (a link to ${home}/dotfiles/bashrc):`);
    expect(readlinkSync(join(home, ".bashrc"))).toBe("dotfiles/bashrc");
    expect(read("dotfiles/bashrc")).toBe(`a\n${BLOCK}`);
    expect(statSync(join(home, "dotfiles/bashrc")).mode & 0o777).toBe(0o600);
  });
});

describe("completion uninstall restores the files as they were before install", () => {
  test.each<[name: string, shell: string, file: string, content: string | Buffer | undefined]>([
    ["a file of lines", "bash", ".bashrc", "a\nb\n"],
    ["an empty file", "bash", ".bashrc", ""],
    ["a file whose last line has no end", "bash", ".bashrc", "a\nb"],
    ["a file that is no UTF-8", "bash", ".bashrc", Buffer.from([0x61, 0xff, 0xe9, 0x00, 0x0d, 0x0a, 0xc3])],
    ["no file", "bash", ".bashrc", undefined],
    ["no file, for zsh", "zsh", ".zshrc", undefined],
    ["no file, for fish", "fish", ".config/fish/completions/kubets.fish", undefined],
    ["no profile", "powershell", ".config/powershell/Microsoft.PowerShell_profile.ps1", undefined],
    ["a profile with CR LF", "powershell", ".config/powershell/Microsoft.PowerShell_profile.ps1", "a\r\nb"],
    [
      "a profile in UTF-16, as Windows PowerShell writes it",
      "powershell",
      ".config/powershell/Microsoft.PowerShell_profile.ps1",
      Buffer.from("\ufeff# é\r\nb", "utf16le"),
    ],
  ])("%s", async (_name, shell, file, content) => {
    if (content !== undefined) write(file, content);
    const before = files();
    expect(await completion(`install ${shell} --yes`)).toMatchObject({ code: 0, stderr: "" });
    expect(files()).not.toEqual(before);
    expect(await completion(`uninstall ${shell} --yes`)).toMatchObject({ code: 0, stderr: "" });
    expect(files()).toEqual(before);
    expect(existsSync(join(home, ".local/share/kubets"))).toBe(false);
  });

  test("but keeps text that was written afterwards", async () => {
    await completion("install --yes");
    write(".bashrc", `above\n${read(".bashrc")}below\n`);
    await completion("uninstall --yes");
    expect(files()).toEqual({ ".bashrc": "above\nbelow\n" });
  });

  test("for one program, and keeps the other's lines", async () => {
    await completion("install --yes");
    const before = files();
    await completion("install --yes", { program: "kubectl" });
    await completion("uninstall --yes", { program: "kubectl" });
    expect(files()).toEqual(before);
  });

  test("behind a link to a file that did not exist", async () => {
    mkdirSync(join(home, "dotfiles"));
    symlinkSync("dotfiles/bashrc", join(home, ".bashrc"));
    await completion("install --yes");
    expect(existsSync(join(home, "dotfiles/bashrc"))).toBe(true);
    await completion("uninstall --yes");
    expect(existsSync(join(home, "dotfiles/bashrc"))).toBe(false);
    expect(readlinkSync(join(home, ".bashrc"))).toBe("dotfiles/bashrc");
  });

  test("also in the file that bash read at the installation, when it reads another one now", async () => {
    write(".profile", "a\n");
    await completion("install --yes", { platform: "darwin" });
    expect(read(".profile")).toContain("BASH_VERSION");
    write(".bash_profile", "b\n");
    await completion("uninstall --yes", { platform: "darwin" });
    expect(files()).toEqual({ ".profile": "a\n", ".bash_profile": "b\n" });
  });

  test("in a file that has two names, in a home folder that has two", async () => {
    write(".bashrc", "a\n");
    symlinkSync(".bashrc", join(home, ".bash_profile"));
    await completion("install --yes");
    symlinkSync(home, join(home, "me"));
    const HOME = join(home, "me");
    expect(await completion("uninstall --yes", { env: { HOME } })).toMatchObject({ code: 0, stderr: "" });
    expect([read(".bashrc"), readlinkSync(join(home, ".bash_profile"))]).toEqual(["a\n", ".bashrc"]);
  });

  test("and shows the lines as they are in the file", async () => {
    await completion("install --yes");
    write(".bashrc", read(".bashrc").replace("fi\n", "fi\necho mine\n"));
    const { stdout } = await completion("uninstall --yes");
    expect(stdout).toContain(`${home}/.bashrc will be removed. It was made for these lines, and has no others:`);
    expect(stdout).toContain("    echo mine\n");
    expect(stdout).toContain(`${home}/${SCRIPT} will be removed.`);
    expect(stdout).toMatch(/\ncompletion of kubets uninstalled for bash\n$/);
  });

  test("or prints that nothing is installed", async () => {
    expect(await completion("uninstall")).toEqual({
      code: 0,
      stdout: "completion of kubets is not installed for bash\n",
      stderr: "",
    });
  });
});

describe("the question whether to install", () => {
  const ask = (typed: string): Promise<CliResult> => completion("install", { typed, terminal: true });

  test.each(["y\n", "Y\n", " y \n", "y"])("takes the answer %j as yes", async (typed) => {
    const { code, stdout } = await ask(typed);
    expect([code, Object.keys(files())]).toEqual([0, [".bashrc", SCRIPT]]);
    expect(stdout).toContain("Do you want to continue? (y/N): completion of kubets installed");
  });

  test.each(["n\n", "\n", "yes\n", "", "no\ny\n"])("takes the answer %j as no", async (typed) => {
    const { code, stdout } = await ask(typed);
    expect([code, files()]).toEqual([0, {}]);
    expect(stdout).toMatch(/Do you want to continue\? \(y\/N\): nothing was changed\n$/);
  });

  test("is asked before uninstall too", async () => {
    await completion("install --yes");
    const before = files();
    await completion("uninstall", { typed: "n\n", terminal: true });
    expect(files()).toEqual(before);
    await completion("uninstall", { typed: "y\n", terminal: true });
    expect(files()).toEqual({});
  });

  test("is printed on stderr when stdout is not a terminal", async () => {
    const { stdout, stderr } = await completion("install", { typed: "y\n" });
    expect(stderr).toMatch(/^.* will be written: (?:.|\n)*Do you want to continue\? \(y\/N\): $/);
    expect(stdout).toBe("completion of kubets installed for bash: shells that start from now on have it\n");
  });

  test.each(["install", "uninstall"])("cannot be asked when stdin is not a terminal: %s", async (command) => {
    if (command === "uninstall") await completion("install --yes");
    const before = files();
    const { code, stdout, stderr } = await completion(command, { stdin: "y\n" });
    expect([code, stdout, files()]).toEqual([1, "", before]);
    expect(stderr).toContain(`${home}/.bashrc`);
    expect(stderr).toMatch(
      /\nerror: stdin is no terminal to ask on, so nothing was changed: give --yes to make these changes\n$/,
    );
  });
});

describe("the shell for which completion is installed", () => {
  test.each([
    ["/bin/bash", "bash"],
    ["/usr/local/bin/zsh", "zsh"],
    ["/opt/homebrew/bin/fish", "fish"],
    ["/usr/bin/pwsh", "powershell"],
  ])("is the one that $SHELL names: %s", async (SHELL, shell) => {
    const { stdout } = await completion("install --yes", { env: { SHELL } });
    expect(stdout).toContain(`installed for ${shell}:`);
  });

  test.each<[name: string, line: string, shell: string | undefined, message: string]>([
    [
      "another $SHELL",
      "install",
      "/bin/dash",
      'Shell not specified, and $SHELL is "/bin/dash": give one of bash, zsh, fish, powershell.',
    ],
    [
      "no $SHELL",
      "install",
      undefined,
      "Shell not specified, and $SHELL is not set: give one of bash, zsh, fish, powershell.",
    ],
    [
      "another shell",
      "install tcsh",
      "/bin/bash",
      'Unsupported shell type "tcsh": give one of bash, zsh, fish, powershell.',
    ],
    ["two shells", "install bash zsh", "/bin/bash", "Too many arguments. Expected only the shell type."],
  ])("must be given when it is not known, and the error lists the choices: %s", async (_name, line, SHELL, message) => {
    expect(await completion(`${line} --yes`, { env: { SHELL } })).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: ${message}\nSee 'kubets completion install -h' for help and examples\n`,
    });
    expect(files()).toEqual({});
  });

  test("is PowerShell on Windows, whatever $SHELL is", async () => {
    const { code, stderr } = await completion("install --yes", { platform: "win32", env: { USERPROFILE: "C:\\me" } });
    expect(code).toBe(1);
    expect(stderr).toContain("run this command in PowerShell");
  });

  test("is suggested by completion", async () => {
    const { stdout } = await runCli(["__completeNoDesc", "completion", "install", ""]);
    expect(stdout).toBe("bash\nzsh\nfish\npowershell\n:4\n");
  });
});

describe("completion install names a file that it cannot change, with what to do by hand:", () => {
  test("a start-up file that cannot be replaced: the script is saved", async () => {
    write("elsewhere", "a\n");
    symlinkSync(join(home, "gone", "rc"), join(home, ".bashrc"));
    const { code, stderr } = await completion("install --yes");
    expect(code).toBe(1);
    expect(stderr).toBe(`error: write ${home}/.bashrc: no such file or directory
The script is saved. To finish by hand, add these lines to ${home}/.bashrc:

    if [ -r "$HOME/${SCRIPT}" ]; then
      . "$HOME/${SCRIPT}"
    fi
`);
    expect(read(SCRIPT)).toBe(await printed("bash"));
  });

  test("a start-up file that is a folder: nothing is changed", async () => {
    mkdirSync(join(home, ".bashrc"));
    expect(await completion("install --yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: read ${home}/.bashrc: is a directory\nTo set completion up by hand, see "kubets completion --help".\n`,
    });
    expect(files()).toEqual({});
  });

  test("a data folder that cannot be made: nothing is changed", async () => {
    write(".bashrc", "a\n");
    write("data", "");
    const before = files();
    const { code, stderr } = await completion("install --yes", { env: { XDG_DATA_HOME: join(home, "data") } });
    expect([code, files()]).toEqual([1, before]);
    expect(stderr).toContain(`${home}/data/kubets/completion/kubets.bash: not a directory\n`);
    expect(stderr).toContain("What the file has to hold is printed by:\n  kubets completion bash\n");
  });

  test("a script of another program in the place of ours: it stays", async () => {
    const script = ".config/fish/completions/kubectl.fish";
    write(script, "# fish completion for kubectl -*- shell-script -*-\n");
    const before = files();
    const { code, stderr } = await completion("install fish --yes", { program: "kubectl" });
    expect([code, stderr]).toEqual([
      1,
      `error: ${home}/${script} is there already, and another program wrote it: move it away, and run the command again\n`,
    ]);
    expect((await completion("uninstall fish --yes", { program: "kubectl" })).stdout).toContain("is not installed");
    expect(files()).toEqual(before);
  });

  test.each([
    ["has no end", BLOCK.replace(/# <<<.*\n/, ""), 2, "begins but does not end"],
    ["is there twice", BLOCK + BLOCK, 7, "begins a second time"],
  ])("a block that %s", async (_name, block, line, message) => {
    write(".bashrc", `a\n${block}`);
    const before = files();
    for (const command of ["install", "uninstall"]) {
      expect(await completion(`${command} --yes`)).toEqual({
        code: 1,
        stdout: "",
        stderr: `error: ${home}/.bashrc:${line}: the block "completion of kubets" ${message} here: repair or remove the block by hand, and run the command again\n`,
      });
    }
    expect(files()).toEqual(before);
  });

  test("a profile in an unknown encoding", async () => {
    const profile = ".config/powershell/Microsoft.PowerShell_profile.ps1";
    write(profile, Buffer.from([0xfe, 0xff, 0x00, 0x61]));
    const { code, stderr } = await completion("install powershell --yes");
    expect([code, Object.keys(files())]).toEqual([1, [profile]]);
    expect(stderr).toContain(`error: read ${home}/${profile}: its encoding is not known\n`);
  });
});

describe("`completion SHELL` is kubectl's", () => {
  test.each([
    ["completion nonsense", 'Unsupported shell type "nonsense".'],
    ["completion bash install", "Too many arguments. Expected only the shell type."],
    ["completion", "Shell not specified."],
  ])("prints or refuses the same: %s", async (line, message) => {
    expect(await runCli(line.split(" "))).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: ${message}\nSee 'kubectl completion -h' for help and examples\n`,
    });
  });
});
