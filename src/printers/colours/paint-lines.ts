/** What colours the parts of a description. */
export interface DescriptionTheme {
  readonly key: (text: string) => string;
  readonly heading: (text: string) => string;
  readonly cell: (column: string, text: string) => string;
}

/** A key has no gap in it, as cells of a table have. */
const KEY_AND_VALUE = /^(\s*)([A-Z][^:\s]*(?: [^:\s]+)*)(:)(\s*)(.*)$/;
const EVENT = /^(\s+)(Normal|Warning)(\s{2,}.*)$/;
const UNDERLINED = /^\s*-[\s-]*$/;

/** A description, whose lines are `Key:  value`, tables, and text. */
export function paintDescription(text: string, { key, heading, cell }: DescriptionTheme): string {
  const lines = text.split("\n");
  return lines
    .map((line, index) => {
      if (UNDERLINED.test(lines[index + 1] ?? "") && line.trim() !== "") return heading(line);
      const [, lead = "", type = "", rest = ""] = EVENT.exec(line) ?? [];
      if (type !== "") return lead + cell("TYPE", type) + rest;
      const [, indent = "", name, colon = "", room = "", value = ""] = KEY_AND_VALUE.exec(line) ?? [];
      return name === undefined ? line : indent + key(name + colon) + room + cell(name, value);
    })
    .join("\n");
}

/** What colours the lines of a difference. */
export interface DiffTheme {
  readonly added: (text: string) => string;
  readonly removed: (text: string) => string;
  readonly place: (text: string) => string;
  readonly file: (text: string) => string;
}

/** What `diff -u` writes. The lines of a hunk are counted, so that a removed line of dashes is none of a file. */
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
