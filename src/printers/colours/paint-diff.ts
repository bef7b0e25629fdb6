/** The colours for the lines of a difference. */
export interface DiffTheme {
  readonly added: (text: string) => string;
  readonly removed: (text: string) => string;
  readonly place: (text: string) => string;
  readonly file: (text: string) => string;
}

/** Colours the output of `diff -u`. It counts the lines of a hunk, so that a removed line of dashes is not taken for a file header. */
export function paintDiff(text: string, { added, removed, place, file }: DiffTheme): string {
  let [before, after] = [0, 0];
  return text
    .split("\n")
    .map((line) => {
      if (before > 0 || after > 0) {
        if (line.startsWith("\\")) return line;
        if (!line.startsWith("+")) before -= 1;
        if (!line.startsWith("-")) after -= 1;
        if (line.startsWith("+")) return added(line);
        return line.startsWith("-") ? removed(line) : line;
      }
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) {
        [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        return place(line);
      }
      return /^(diff|---|\+\+\+) /.test(line) ? file(line) : line;
    })
    .join("\n");
}
