import type { FlagSpec } from "../flags/flag-set.js";
import { defaultText } from "../flags/flag-value.js";
import { wrapText } from "./wrap.js";

/** kubectl indents what a flag does by one tab and leaves this much room for it. */
const OFFSET = 10;

/** The flags of a help text, one paragraph each, an empty line after each. `width` is that of a terminal. */
export function flagUsages(flags: readonly FlagSpec[], width: number | undefined): string {
  return flags
    .filter((flag) => flag.hidden !== true && flag.deprecated === undefined)
    .map((flag) => `${flagUsage(flag, width)}\n\n`)
    .join("");
}

function flagUsage(flag: FlagSpec, width: number | undefined): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const value = flag.type === "string" ? `'${defaultText(flag)}'` : defaultText(flag);
  const usage = flag.usage.replaceAll("`", "'").replaceAll("\n", " ");
  const text = width === undefined ? usage : wrapText(usage, Math.max(20, width - OFFSET));
  return `    ${short}--${flag.name}=${value}:\n\t${text.replaceAll("\n", "\n\t")}`;
}
