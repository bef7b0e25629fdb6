import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { FlagTable } from "../../component/flags/flag-table.js";
import { bareValue } from "../../component/flags/flag-value.js";
import type { ParsedFlagSet } from "../../component/flags/parse-flags.js";

/** Describes the last word of a line: the value of a flag, or another word. */
export interface ValueCompletion {
  readonly flag?: FlagSpec;
  /** The line without the flag whose value is being typed. */
  readonly argv: readonly string[];
  /** The part of the value that is typed already. */
  readonly toComplete: string;
  /** The flag of the line that the command does not have. */
  readonly unknownFlag?: string;
}

/** Finds the flag whose value is being completed (`--flag=va`, `--flag va`, `-f=va`, `-abf va`), as cobra does. */
export function valueCompletion(table: FlagTable, argv: readonly string[], last: string): ValueCompletion {
  const find = (name: string): FlagSpec | undefined =>
    name.length === 1 ? (table.short(name) ?? table.named(name)) : table.named(name);
  if (last.startsWith("-")) {
    const equals = last.indexOf("=");
    if (equals < 0) return { argv, toComplete: last };
    const name = last.startsWith("--") ? last.slice(2, equals) : last.slice(equals - 1, equals);
    const flag = find(name);
    if (flag === undefined) return { argv, toComplete: last, unknownFlag: name };
    return { flag, argv, toComplete: last.slice(equals + 1) };
  }
  const previous = argv.at(-1) ?? "";
  if (!/^(--.|-[^-])/.test(previous) || previous.includes("=")) return { argv, toComplete: last };
  const name = previous.startsWith("--") ? previous.slice(2) : previous.slice(-1);
  const flag = find(name);
  if (flag === undefined) return { argv, toComplete: last, unknownFlag: name };
  // A flag that may stand alone does not take the next word.
  if (bareValue(flag) !== undefined) return { argv, toComplete: last };
  return { flag, argv: argv.slice(0, -1), toComplete: last };
}

/** Returns the flag names that match, the inherited ones first. Flags that the line has are left out unless they may repeat. */
export function flagNameCandidates(
  inherited: readonly FlagSpec[],
  own: readonly FlagSpec[],
  given: ParsedFlagSet,
  toComplete: string,
): readonly string[] {
  const sorted = (flags: readonly FlagSpec[]): readonly FlagSpec[] =>
    flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...sorted(inherited), ...sorted(own)]
    .filter((flag) => flag.hidden !== true && flag.deprecated === undefined)
    .filter((flag) => !given.changed(flag.name) || flag.type === "stringSlice" || flag.type === "stringArray")
    .flatMap((flag) =>
      [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])].map((name) => ({ flag, name })),
    )
    .filter(({ name }) => name.startsWith(toComplete))
    .map(({ flag, name }) => `${name}\t${flag.usage}`);
}
