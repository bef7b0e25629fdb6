import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import type { Part, Word } from "./syntax.js";

const RANGE = /^(-?\d+(?=\.\.-?\d)|[A-Za-z](?=\.\.[A-Za-z]))\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/;
/** What a word takes beside its parts, in bytes. */
const WORD_BYTES = 256;
/** How deep braces may stand in braces. */
const MOST_NESTED = 50;
/** A longer word, in parts and characters, is left as it is. */
const LONGEST = 1024;

/** A part, or a character of an unquoted text. */
type Item = Part | string;

/**
 * The words that bash makes of a word with unquoted braces: {a,b} and {1..3}. `take` counts the bytes of what is made: two braces behind each
 * other make any number of words.
 */
export function* expandBraces(word: Word, take: (bytes: number) => void): Steps<readonly Word[]> {
  if (!word.some((part) => part.kind === "text" && !part.quoted && part.text.includes("{"))) return [word];
  const length = word.reduce((sum, part) => sum + (part.kind === "text" && !part.quoted ? part.text.length : 1), 0);
  if (length > LONGEST) return [word];
  const items = itemsOf(word);
  const expansions = yield* expand(items, take, new Pace(), 0);
  return expansions.map(wordOf);
}

function itemsOf(word: Word): Item[] {
  return word.flatMap((part): Item[] => (part.kind === "text" && !part.quoted ? Array.from(part.text) : [part]));
}

function wordOf(items: readonly Item[]): Word {
  const parts: Part[] = [];
  let text = "";
  for (const item of items) {
    if (typeof item === "string") {
      text += item;
      continue;
    }
    if (text !== "") parts.push({ kind: "text", text, quoted: false });
    text = "";
    parts.push(item);
  }
  if (text !== "" || parts.length === 0) parts.push({ kind: "text", text, quoted: false });
  return parts;
}

function* expand(
  items: readonly Item[],
  take: (bytes: number) => void,
  pace: Pace,
  depth: number,
): Steps<readonly (readonly Item[])[]> {
  if (depth > MOST_NESTED) return [items];
  for (let open = items.indexOf("{"); open >= 0; open = items.indexOf("{", open + 1)) {
    if (pace.isDue()) yield;
    const commas: number[] = [];
    const close = closingOf(items, open, commas);
    if (close === undefined) continue;
    const inner = items.slice(open + 1, close);
    const range =
      commas.length === 0 ? RANGE.exec(inner.every((one) => typeof one === "string") ? inner.join("") : "") : null;
    if (commas.length === 0 && range === null) continue;
    const choices: (readonly Item[])[] = [];
    if (range !== null) {
      for (const text of rangeOf(range)) {
        if (pace.isDue()) yield;
        take(WORD_BYTES);
        choices.push(Array.from(text));
      }
    } else {
      const bounds = [open, ...commas, close];
      for (const [index, bound] of bounds.slice(0, -1).entries()) {
        const choice = items.slice(bound + 1, bounds[index + 1]);
        for (const one of yield* expand(choice, take, pace, depth + 1)) choices.push(one);
      }
    }
    const before = items.slice(0, open);
    const after = yield* expand(items.slice(close + 1), take, pace, depth + 1);
    const words: (readonly Item[])[] = [];
    for (const choice of choices) {
      for (const end of after) {
        if (pace.isDue()) yield;
        take(WORD_BYTES + 8 * (before.length + choice.length + end.length));
        words.push([...before, ...choice, ...end]);
      }
    }
    return words;
  }
  return [items];
}

/** Where the brace closes that opens at `open`; `commas` are those of its own. */
function closingOf(items: readonly Item[], open: number, commas: number[]): number | undefined {
  let depth = 0;
  for (let at = open; at < items.length; at += 1) {
    if (items[at] === "{") depth += 1;
    else if (items[at] === "," && depth === 1) commas.push(at);
    else if (items[at] === "}" && (depth -= 1) === 0) return at;
  }
  return undefined;
}

function* rangeOf([, from = "", to = "", by]: RegExpExecArray): Generator<string, void> {
  const isNumeric = /\d/.test(from) && /\d/.test(to);
  const [first, last] = isNumeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const isPadded = [from, to].some((text) => /^-?0\d/.test(text));
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  const size = Math.abs(Number(by ?? 1)) || 1;
  const step = first <= last ? size : -size;
  for (let value = first; step > 0 ? value <= last : value >= last; value += step) {
    if (!isNumeric) yield String.fromCharCode(value);
    else if (value < 0) yield `-${String(-value).padStart(width - 1, "0")}`;
    else yield String(value).padStart(width, "0");
  }
}
