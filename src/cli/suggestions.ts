import { distance } from "fastest-levenshtein";
import { goQuote } from "../base/go-quote.js";
import type { CommandEntry } from "./command.js";
import { yieldsToPlugins } from "./plugins.js";

const MAX_DISTANCE = 2;

/** The commands cobra would name for a mistyped one: near by edits, by prefix, or listed for that very word. */
export function suggestCommands(typed: string, entries: readonly CommandEntry[]): readonly string[] {
  const wanted = typed.toLowerCase();
  const suggestions: string[] = [];
  for (const entry of entries) {
    if (entry.hidden === true) continue;
    const name = entry.name.toLowerCase();
    if (distance(wanted, name) <= MAX_DISTANCE || name.startsWith(wanted)) suggestions.push(entry.name);
    if (entry.suggestFor?.some((word) => word.toLowerCase() === wanted) === true) suggestions.push(entry.name);
  }
  return suggestions;
}

/** cobra's words for an unknown command, with what may have been meant. */
export function unknownCommandMessage(typed: string, program: string, entries: readonly CommandEntry[]): string {
  const names = suggestCommands(
    typed,
    entries.filter((entry) => !yieldsToPlugins(entry, program)),
  );
  const hint = names.length === 0 ? "" : `\n\nDid you mean this?\n${names.map((name) => `\t${name}\n`).join("")}`;
  return `unknown command ${goQuote(typed)} for ${goQuote(program)}${hint}`;
}

/** The nearest of some names, if one is near enough for its length to be what was meant. */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of names) {
    const edits = distance(typed, name);
    if (edits < bestDistance) [best, bestDistance] = [name, edits];
  }
  return best;
}
