import { inertLine } from "../base/text/inert-text.js";
import type { Factory } from "./connect/factory.js";

/**
 * Writes one name per line. A pipe gets names unchanged; on a terminal control characters are escaped, and the current name is
 * marked, by its colour where colours are on.
 */
export function writeNames(
  names: readonly string[],
  current: string,
  { streams: { out }, look }: Pick<Factory, "streams" | "look">,
): void {
  const isTerminal = out.isTTY === true;
  for (const name of names) {
    const text = isTerminal ? inertLine(name) : name;
    if (name !== current) out.write(`${text}\n`);
    else if (look.paint !== undefined) out.write(`${look.paint.current(text)}\n`);
    else out.write(isTerminal ? `${text} (current)\n` : `${text}\n`);
  }
}
