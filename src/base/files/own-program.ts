/** How a process was started: its runtime's path, the words of its command line, and how its name was typed. */
export type StartedProcess = Pick<NodeJS.Process, "argv" | "argv0" | "execPath">;

/** Where the code of an executable made by bun lies, on Windows and elsewhere: no file system has these paths. */
const INSIDE_EXECUTABLE = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/** The words that start this program again: the runtime and the script it runs, or the executable alone. */
export function ownProgram({ argv, execPath }: StartedProcess): readonly string[] {
  const script = scriptOf(argv);
  return script === undefined ? [execPath] : [execPath, script];
}

/** The path that this program was called by: of the script or a link to it, or of the executable. */
export function calledAs({ argv, argv0, execPath }: StartedProcess): string {
  return scriptOf(argv) ?? argv0 ?? execPath;
}

/** An executable has no script beside it. */
function scriptOf([, script]: readonly string[]): string | undefined {
  return script === undefined || INSIDE_EXECUTABLE.test(script) ? undefined : script;
}
