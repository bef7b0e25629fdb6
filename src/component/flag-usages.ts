import type { ComponentFlag, FlagSection } from "./component-flag.js";
import type { FlagSpec } from "./flags/flag-set.js";
import { defaultText } from "./flags/flag-value.js";

/** pflag's names of the types that help prints another word for than the declaration. */
const TYPE_NAMES: Readonly<Partial<Record<FlagSpec["type"], string>>> = {
  bool: "",
  stringSlice: "strings",
  level: "Level",
  moduleSpec: "pattern=N,...",
  goDuration: "duration",
  float64: "float",
};

/** Defaults that pflag leaves out: the zero of the type. */
const ZERO = new Set(["", "[]", "<nil>", "false", "0", "0s"]);

/** Narrower columns than these give help without wrapped lines, as component-base does. */
const NARROWEST = 24;

/** The flags in their sections, each below a heading, as Kubernetes' components print them. `columns` is the width of the terminal; without it no line is wrapped. */
export function sectionUsages(sections: readonly FlagSection[], columns = 0): string {
  return sections
    .filter(({ flags }) => flags.some(isShown))
    .map(
      ({ name, flags }) =>
        `\n${name.slice(0, 1).toUpperCase()}${name.slice(1)} flags:\n\n${flagUsages(flags, columns)}`,
    )
    .join("");
}

const isShown = (flag: ComponentFlag): boolean => flag.hidden !== true && flag.dropped === undefined;

/** A line for each flag, by name; what a flag does begins in one column for all of them. */
function flagUsages(flags: readonly ComponentFlag[], columns: number): string {
  const rows = flags
    .filter(isShown)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((flag) => ({ head: headOf(flag), usage: usageOf(flag) }));
  const width = Math.max(...rows.map(({ head }) => head.length)) + 3;
  const room = columns > NARROWEST ? Math.max(columns - width, NARROWEST) : Number.POSITIVE_INFINITY;
  return rows.map(({ head, usage }) => `${head.padEnd(width)}${wrapped(usage, room, width)}\n`).join("");
}

function headOf(flag: ComponentFlag): string {
  const short = flag.short === undefined ? "      " : `  -${flag.short}, `;
  const [, named] = /`([^`]+)`/.exec(flag.usage) ?? [];
  const type = named ?? flag.typeName ?? TYPE_NAMES[flag.type] ?? flag.type;
  const bare = flag.bare === undefined || flag.type === "bool" ? "" : `[=${flag.bare}]`;
  return `${short}--${flag.name}${type === "" ? "" : ` ${type}`}${bare}`;
}

function usageOf(flag: ComponentFlag): string {
  const text = defaultText(flag);
  const shown = ZERO.has(text) || (flag.type === "duration" && text === "0") ? "" : ` (default ${quoted(flag, text)})`;
  const effect =
    flag.withoutEffect === undefined
      ? flag.refused === undefined
        ? ""
        : ` Refused here: ${flag.refused}.`
      : ` No effect here: ${flag.withoutEffect}.`;
  const deprecated = flag.deprecated === undefined ? "" : ` (DEPRECATED: ${flag.deprecated})`;
  return `${flag.usage.replaceAll("`", "")}${effect}${shown}${deprecated}`;
}

const quoted = ({ type, typeName }: ComponentFlag, text: string): string =>
  type === "string" && typeName === undefined ? `"${text}"` : text;

/** Breaks text at spaces into lines of at most `room`; lines after the first begin below the first. */
function wrapped(text: string, room: number, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
