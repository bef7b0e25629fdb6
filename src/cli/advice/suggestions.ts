import { distance } from "fastest-levenshtein";
import { goQuote } from "../../base/text/go-quote.js";
import { holdsControls } from "../../base/text/inert-text.js";
import type { CommandEntry } from "../command.js";
import { yieldsToPlugins } from "../plugins.js";

const MAX_DISTANCE = 2;

/** Returns the commands that cobra would suggest for a mistyped one: near by edits, by prefix, or listed for that very word. */
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

/** Returns cobra's text for an unknown command, with suggestions. */
export function unknownCommandMessage(typed: string, program: string, entries: readonly CommandEntry[]): string {
  const names = suggestCommands(
    typed,
    entries.filter((entry) => !yieldsToPlugins(entry, program)),
  );
  const hint = names.length === 0 ? "" : `\n\nDid you mean this?\n${names.map((name) => `\t${name}\n`).join("")}`;
  return `unknown command ${goQuote(typed)} for ${goQuote(program)}${hint}`;
}

/**
 * Finds the name that was probably meant, whatever its case: the nearest one, if it is near enough for its length; else the only
 * name that begins with the typed word, or the shortest if it is a prefix of all others that do. Never returns the typed word
 * itself.
 */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  const others = [...names].filter((name) => name !== typed);
  // Each letter is one edit away from every other.
  const limit = typed.length === 1 ? 0 : Math.max(1, Math.floor(typed.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of others) {
    const edits = editsBetween(wanted, name.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [name, edits];
  }
  return best ?? beginningWith(wanted, others);
}

/** Two letters that changed places are one mistake. */
function editsBetween(typed: string, name: string): number {
  let at = 0;
  while (at < typed.length && typed[at] === name[at]) at += 1;
  const swapped = typed.slice(0, at) + (typed[at + 1] ?? "") + (typed[at] ?? "") + typed.slice(at + 2);
  return swapped === name ? 1 : distance(typed, name);
}

/** One letter says too little. */
const LEAST_BEGINNING = 2;

function beginningWith(wanted: string, names: readonly string[]): string | undefined {
  if (wanted.length < LEAST_BEGINNING) return undefined;
  const longer = names.filter((name) => name.toLowerCase().startsWith(wanted));
  const shortest = longer.reduce((one, other) => (other.length < one.length ? other : one), longer[0] ?? "");
  return shortest !== "" && longer.every((name) => name.startsWith(shortest)) ? shortest : undefined;
}

/**
 * Returns the question for a terminal; undefined when nothing was found. A name with a control character is never suggested, because the
 * terminal would not show it as it is.
 */
export function didYouMean(found: readonly (string | undefined)[]): string | undefined {
  const names = found.filter((name) => name !== undefined && !holdsControls(name));
  return names.length === 0 ? undefined : `Did you mean ${[...new Set(names)].map((name) => `"${name}"`).join(", ")}?`;
}
