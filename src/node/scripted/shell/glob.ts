import { absolute, type FileSystem } from "../files/file-system.js";

/** A pattern of the shell as a regular expression: *, ?, [a-z], [!a], and a backslash before what means itself. */
export function patternOf(pattern: string, { anchored = true, lazy = false } = {}): RegExp {
  let source = "";
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] ?? "";
    const close = char === "[" ? pattern.indexOf("]", index + 2) : -1;
    if (char === "*") source += lazy ? "[^]*?" : "[^]*";
    else if (char === "?") source += "[^]";
    else if (char === "\\" && index + 1 < pattern.length) source += escaped(pattern[(index += 1)] ?? "");
    else if (close > 0) {
      source += `[${pattern
        .slice(index + 1, close)
        .replace(/^!/, "^")
        .replace(/[\\[\]]/g, "\\$&")}]`;
      index = close;
    } else source += escaped(char);
  }
  return new RegExp(anchored ? `^${source}$` : source);
}

const escaped = (char: string): string => char.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Whether a pattern has a character that matches others. */
export const isPattern = (text: string): boolean => /(?<!\\)[*?[]/.test(text);

/** The paths that match, sorted; none where nothing does. Names with a dot match only a dot. */
export function matchingPaths(files: FileSystem, cwd: string, pattern: string): readonly string[] {
  const steps = pattern.split("/");
  let found = [steps[0] === "" ? "/" : ""];
  for (const step of steps.filter((one) => one !== "")) {
    found = found.flatMap((folder) => {
      if (!isPattern(step)) {
        const path = `${folder}${step.replace(/\\(.)/g, "$1")}`;
        return files.look(absolute(cwd, path)) === undefined ? [] : [`${path}/`];
      }
      const node = files.look(absolute(cwd, folder === "" ? "." : folder));
      if (node?.kind !== "directory") return [];
      const matches = patternOf(step);
      const names = [...node.entries.keys()].filter((name) => matches.test(name));
      return names
        .filter((name) => !name.startsWith(".") || step.startsWith("."))
        .sort()
        .map((name) => `${folder}${name}/`);
    });
  }
  return found.map((path) => path.slice(0, -1)).filter((path) => path !== "");
}
