import { expect, test } from "vitest";
import { expressionsInSources } from "./expressions.js";
import { slowTextOf } from "./slow-match.js";

// No text that others write makes a regular expression of the program slow.

/** The nodes' programs bound what they read, or will: these go when they do. */
const SHELL = "of pods' programs";

/** Literals that are slow on some text, which they are never given, and why. */
const BOUNDED: Readonly<Record<string, string>> = {};

/** Calls that make an expression of a text, and why no text makes it slow. */
const MADE: Readonly<Record<string, string>> = {};

const { literals, calls } = expressionsInSources();

test("no literal takes longer than in proportion to the text, but for those that the list explains", () => {
  const slow = new Map<string, string>();
  const judged = new Map<string, ReturnType<typeof slowTextOf>>();
  for (const { file, pattern } of literals) {
    const source = String(pattern);
    if (!judged.has(source)) judged.set(source, slowTextOf(pattern));
    const attack = judged.get(source);
    if (attack !== undefined) slow.set(`${file}: ${source}`, JSON.stringify(attack));
  }
  expect([...slow].filter(([found]) => !(found in BOUNDED))).toEqual([]);
  expect(Object.keys(BOUNDED).filter((listed) => BOUNDED[listed] !== SHELL && !slow.has(listed))).toEqual([]);
});

test("every call that makes an expression of a text is listed", () => {
  expect(calls.filter((call) => !(call in MADE))).toEqual([]);
  expect(Object.keys(MADE).filter((listed) => MADE[listed] !== SHELL && !calls.includes(listed))).toEqual([]);
});

test.each([
  ["a loop in a loop", /^(a+)+$/],
  ["a loop in a loop, with a gap", /^\s*(?:-+\s*)+$/],
  ["two ways to take the same", /^(?:a|aa)*c$/],
  ["loops beside each other", /^[a-z]*[a-z0-9]*!$/],
  ["a search that begins everywhere", /\s+$/],
  ["a search for an end that is not there", /BEGIN[^]*?END/],
])("%s is found", (_, pattern) => {
  expect(slowTextOf(pattern)).toBeDefined();
});

test.each([
  ["one loop", /^[a-z]+$/],
  ["loops that take different characters", /^[a-z]*[0-9]*!$/],
  ["a loop of parts that begin differently", /^(?:a[^,]*,)*$/],
  ["a search for a word's start", /(?<!\S)\S+ in/],
])("%s is not", (_, pattern) => {
  expect(slowTextOf(pattern)).toBeUndefined();
});
