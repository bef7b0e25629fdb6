import { type TextPaint, unpainted } from "../../printers/look.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { defaultText } from "../../component/flags/flag-value.js";
import { wrapText } from "./wrap.js";

/** How help is shown; in a pipe as kubectl shows it. */
export interface HelpStyle {
  /** The width of the terminal; without one no line is wrapped. */
  readonly width?: number | undefined;
  /** Set where colours are wanted. */
  readonly paint?: TextPaint | undefined;
}

/** kubectl indents what a flag does by one tab and leaves this much room for it. */
const OFFSET = 10;

/** Returns the flags of a help text, a paragraph each, with an empty line after each. */
export function flagUsages(flags: readonly FlagSpec[], style: HelpStyle): string {
  return flags
    .filter((flag) => flag.hidden !== true && flag.deprecated === undefined)
    .map((flag) => `${flagUsage(flag, style)}\n\n`)
    .join("");
}

function flagUsage(flag: FlagSpec, { width, paint = unpainted }: HelpStyle): string {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const name = `${short}--${flag.name}`;
  const value = flag.type === "string" ? `'${defaultText(flag)}'` : defaultText(flag);
  const usage = flag.usage.replaceAll("`", "'").replaceAll("\n", " ");
  const text = width === undefined ? usage : wrapText(usage, Math.max(20, width - OFFSET));
  const head = `${paint.key(name)}=${paint.type(value)}`;
  return `    ${head}:\n\t${text.replaceAll("\n", "\n\t")}`;
}
