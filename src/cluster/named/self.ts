/** How to start this program again: the runtime and the script it runs, or the executable alone when it was compiled. */
export function self(): readonly string[] {
  const script = process.argv[1];
  return script === undefined ? [process.execPath] : [process.execPath, script];
}
