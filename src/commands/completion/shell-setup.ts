import { posix, win32 } from "node:path";
import type { Host } from "../../cli/connect/host.js";
import type { Shell } from "./shell-scripts.js";

/** The files that completion in one shell is made of. All paths are absolute. */
export interface ShellSetup {
  /** Holds what `completion SHELL` prints. */
  readonly script: string;
  /** Folders that are there for the script alone, the innermost first. */
  readonly scriptFolders: readonly string[];
  /** What the shell reads when it starts. Undefined for fish, which finds the script by its place. */
  readonly startUp?: StartUp;
}

export interface StartUp {
  readonly file: string;
  /** Other files that may hold the lines, from an installation under other circumstances. */
  readonly otherFiles: readonly string[];
  /** What loads the script, and does nothing where the script is missing. */
  readonly lines: readonly string[];
  /** Of a new file. */
  readonly lineEnd: "\n" | "\r\n";
  /** Whether the shell reads files whose lines end with CR LF. */
  readonly takesCrLf: boolean;
}

export interface SetupSurroundings extends Pick<Host, "env" | "platform"> {
  /** "kubets" or "kubectl". */
  readonly program: string;
  readonly exists: (file: string) => boolean;
}

/**
 * The files into which completion of a shell is installed. No shell runs the program at its start: bash and PowerShell read a
 * saved script, zsh and fish load it at the first completion.
 * @throws where the environment does not tell the files
 */
export function shellSetup(shell: Shell, surroundings: SetupSurroundings): ShellSetup {
  return SETUPS[shell](surroundings);
}

const SETUPS: Readonly<Record<Shell, (surroundings: SetupSurroundings) => ShellSetup>> = {
  bash: (surroundings) => {
    const { join } = pathsOf(surroundings);
    const home = homeOf(surroundings);
    const [file = "", ...otherFiles] = bashFiles(surroundings).map((name) => join(home, name));
    const saved = savedScript(surroundings, `${surroundings.program}.bash`);
    const script = posixText(saved.script, surroundings);
    // Other shells than bash read ~/.profile too.
    const isBash = file.endsWith(".profile") ? '[ -n "${BASH_VERSION-}" ] && ' : "";
    const lines = [`if ${isBash}[ -r ${script} ]; then`, `  . ${script}`, "fi"];
    return { ...saved, startUp: { ...POSIX, file, otherFiles, lines } };
  },
  zsh: (surroundings) => {
    const { join } = pathsOf(surroundings);
    const { program, env } = surroundings;
    const folders = [absolute(env["ZDOTDIR"], surroundings), homeOf(surroundings)].filter((name) => name !== undefined);
    const [file = "", ...otherFiles] = [...new Set(folders)].map((folder) => join(folder, ".zshrc"));
    const saved = savedScript(surroundings, "zsh", `_${program}`);
    const folder = posixText(pathsOf(surroundings).dirname(saved.script), surroundings);
    // A compinit that runs later finds the folder in fpath; one that has run takes the compdef.
    const lines = [
      `if [[ -r ${posixText(saved.script, surroundings)} ]]; then`,
      `  fpath=(${folder} $fpath)`,
      "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }",
      `  autoload -Uz _${program} && compdef _${program} ${program}`,
      "fi",
    ];
    return { ...saved, startUp: { ...POSIX, file, otherFiles, lines } };
  },
  fish: (surroundings) => {
    const { join } = pathsOf(surroundings);
    const script = join(configFolder(surroundings), "fish", "completions", `${surroundings.program}.fish`);
    return { script, scriptFolders: [] };
  },
  powershell: (surroundings) => {
    const saved = savedScript(surroundings, `${surroundings.program}.ps1`);
    const script = powershellText(saved.script, surroundings);
    const lines = [`if (Test-Path -LiteralPath ${script}) { . ${script} }`];
    const lineEnd = surroundings.platform === "win32" ? "\r\n" : "\n";
    const file = powershellProfile(surroundings);
    return { ...saved, startUp: { file, otherFiles: [], lines, lineEnd, takesCrLf: true } };
  },
};

const POSIX = { lineEnd: "\n", takesCrLf: false } as const;

/**
 * In $HOME, the one to use first. An interactive bash reads ~/.bashrc; terminals of macOS start login shells, which read the
 * first of three files instead and ~/.bashrc only where that file says so. Where none of the three exists, ~/.bash_profile is
 * made; made beside a ~/.profile it would keep bash from reading that.
 */
function bashFiles(surroundings: SetupSurroundings): readonly string[] {
  const home = homeOf(surroundings);
  if (surroundings.platform !== "darwin") return [".bashrc", ...LOGIN_FILES];
  const first = LOGIN_FILES.find((name) => surroundings.exists(posix.join(home, name))) ?? ".bash_profile";
  return [first, ...LOGIN_FILES.filter((name) => name !== first), ".bashrc"];
}

const LOGIN_FILES: readonly string[] = [".bash_profile", ".bash_login", ".profile"];

/**
 * $PROFILE of the console. On Windows it lies beside the modules of the user: "Documents" may be anywhere, and a PowerShell
 * that starts a program passes the place on in PSModulePath.
 */
function powershellProfile(surroundings: SetupSurroundings): string {
  const { env, platform } = surroundings;
  const name = "Microsoft.PowerShell_profile.ps1";
  if (platform !== "win32") return posix.join(configFolder(surroundings), "powershell", name);
  const shared = [env["ProgramFiles"], env["ProgramFiles(x86)"], env["ProgramW6432"], env["SystemRoot"]];
  const isShared = (folder: string): boolean =>
    shared.some((root) => root !== undefined && folder.toLowerCase().startsWith(`${root.toLowerCase()}\\`));
  const modules = (env["PSModulePath"] ?? "")
    .split(";")
    .find((folder) => /\\(?:Windows)?PowerShell\\Modules\\?$/i.test(folder) && !isShared(folder));
  if (modules !== undefined) return win32.join(win32.dirname(modules), name);
  throw new Error(
    "the environment does not say where PowerShell has its profile: run this command in PowerShell, or add the line to $PROFILE by hand\n" +
      `  ${surroundings.program} completion powershell | Out-String | Invoke-Expression`,
  );
}

/** A file below the folder for completion in the user's data folder (XDG_DATA_HOME; on Windows LOCALAPPDATA). */
function savedScript(surroundings: SetupSurroundings, ...names: readonly string[]): ShellSetup {
  const { join, dirname } = pathsOf(surroundings);
  const { env, platform } = surroundings;
  const usual = (): string =>
    platform === "win32"
      ? (absolute(env["LOCALAPPDATA"], surroundings) ?? join(homeOf(surroundings), "AppData", "Local"))
      : join(homeOf(surroundings), ".local", "share");
  const ours = join(absolute(env["XDG_DATA_HOME"], surroundings) ?? usual(), "kubets");
  const script = join(ours, "completion", ...names);
  const scriptFolders: string[] = [];
  for (let folder = dirname(script); folder.length >= ours.length; folder = dirname(folder)) scriptFolders.push(folder);
  return { script, scriptFolders };
}

function configFolder(surroundings: SetupSurroundings): string {
  const chosen = absolute(surroundings.env["XDG_CONFIG_HOME"], surroundings);
  return chosen ?? pathsOf(surroundings).join(homeOf(surroundings), ".config");
}

function homeOf(surroundings: SetupSurroundings): string {
  const { env, platform } = surroundings;
  const home = absolute(platform === "win32" ? env["USERPROFILE"] || env["HOME"] : env["HOME"], surroundings);
  if (home === undefined) throw new Error("there is no home folder to change: HOME is not set to an absolute path");
  return home;
}

/** A relative path in such a variable does not count, as XDG's specification has it. */
function absolute(path: string | undefined, surroundings: SetupSurroundings): string | undefined {
  return path !== undefined && pathsOf(surroundings).isAbsolute(path) ? path : undefined;
}

const pathsOf = ({ platform }: SetupSurroundings): typeof posix => (platform === "win32" ? win32 : posix);

/** A path for a shell, below $HOME as such: start-up files are shared between machines. `escape` makes text fit for double quotes. */
function shellText(path: string, surroundings: SetupSurroundings, escape: (text: string) => string): string {
  const { relative, isAbsolute, sep } = pathsOf(surroundings);
  const below = relative(homeOf(surroundings), path);
  const isBelow = !isAbsolute(below) && !/^\.\.(?:[\\/]|$)/.test(below);
  return isBelow ? `"$HOME${escape(sep + below)}"` : `"${escape(path)}"`;
}

function posixText(path: string, surroundings: SetupSurroundings): string {
  const isWindows = surroundings.platform === "win32";
  return shellText(path, surroundings, (part) =>
    (isWindows ? part.replaceAll("\\", "/") : part.replaceAll("\\", "\\\\")).replace(/[$`"]/g, "\\$&"),
  );
}

/** PowerShell takes typographic quotes for quotes. */
const powershellText = (path: string, surroundings: SetupSurroundings): string =>
  shellText(path, surroundings, (part) => part.replace(/[$`"“”„]/g, "`$&"));
