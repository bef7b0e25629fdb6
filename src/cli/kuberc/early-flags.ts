import type { CommandNode } from "../command-node.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** klog's flags, which kubectl adds only when it has applied the preferences. */
const LATE: ReadonlySet<string> = new Set(["v", "vmodule", "log-flush-frequency"]);

/** Returns the flag of a command that preferences may set: neither --help nor a flag of logging. */
export function earlyFlag(node: CommandNode, name: string): FlagSpec | undefined {
  const spec = node.flagTable(false).named(name);
  return spec === undefined || LATE.has(spec.name) ? undefined : spec;
}

/** Returns whether a word of the line looks like the flag: preferences then do not set it. Words are not parsed as pflag parses them. */
export function isMentioned({ name, short }: FlagSpec, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word === `--${name}` ||
      word.startsWith(`--${name}=`) ||
      (short !== undefined && (word.startsWith(`-${short}`) || (/^-[a-zA-Z]+$/.test(word) && word.includes(short)))),
  );
}
