import { existsSync } from "node:fs";
import { join } from "node:path";

/** How a process was started: its runtime's path, the words of its command line, and how its name was typed. */
export type StartedProcess = Pick<NodeJS.Process, "argv" | "argv0" | "execPath">;

/** Where the code of an executable made by bun lies, on Windows and elsewhere: no file system has these paths. */
const INSIDE_EXECUTABLE = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** Whether the file of a module is inside an executable, which has no packages beside it. */
export const isInExecutable = (file: string): boolean => INSIDE_EXECUTABLE.test(file);

/** Returns the words that start this program again: the runtime and its script, or the executable alone. */
export function ownProgram({ argv, execPath }: StartedProcess): readonly string[] {
  const script = scriptOf(argv);
  return script === undefined ? [execPath] : [execPath, script];
}

/** Returns the path by which this program was called: of the script, of a link to it, or of the executable. */
export function calledAs({ argv, argv0, execPath }: StartedProcess): string {
  return scriptOf(argv) ?? argv0 ?? execPath;
}

/** An executable has no script beside it. */
function scriptOf([, script]: readonly string[]): string | undefined {
  return script === undefined || INSIDE_EXECUTABLE.test(script) ? undefined : script;
}

/** What to run so that the module at `file` finds a package: it depends on how the program was installed. */
export function installHint(file: string, name: string, exists: (path: string) => boolean = existsSync): string {
  const [root = "", ...below] = file.split(/[\\/]node_modules[\\/]/);
  if (/[\\/]_npx[\\/][^\\/]+$/.test(root)) return `run it by \`npx --package=kubets --package=${name} kubets ...\``;
  if (below[0]?.startsWith(".pnpm") === true) return `run \`pnpm add ${name}\` where kubets was added`;
  // A package installed for all users lies in a folder that is no package itself.
  if (below.length > 0 && !exists(join(root, "package.json"))) return `run \`npm install --global ${name}\``;
  return `run \`npm install ${name}\`${below.length > 0 ? ` in ${root}` : ""}`;
}
