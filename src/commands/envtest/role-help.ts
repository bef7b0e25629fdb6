import type { FlagSpec } from "../../component/flags/flag-set.js";
import { defaultText } from "../../component/flags/flag-value.js";

const TYPE_NAMES: Readonly<Partial<Record<FlagSpec["type"], string>>> = {
  bool: "",
  stringSlice: " strings",
  stringArray: " stringArray",
  mapStringString: " mapStringString",
  level: " Level",
  moduleSpec: " pattern=N,...",
};
const EMPTY = new Set(["", "[]", "false", "0"]);

/** The help of a program that stands in for another: its description, and a line per flag. */
export function roleHelp(program: string, description: string, flags: readonly FlagSpec[]): string {
  const heads = flags.map(
    ({ name, short, type }) =>
      `${short === undefined ? "      " : `  -${short}, `}--${name}${TYPE_NAMES[type] ?? ` ${type}`}`,
  );
  const width = Math.max(...heads.map(({ length }) => length)) + 3;
  const lines = flags.map((flag, index) => {
    const value = defaultText(flag);
    return `${(heads[index] ?? "").padEnd(width)}${flag.usage}${EMPTY.has(value) ? "" : ` (default ${value})`}`;
  });
  return `${description}\n\nUsage:\n  ${program} [flags]\n\nFlags:\n${lines.join("\n")}\n`;
}
