import { dictionary } from "../../base/collections/dictionary.js";
import { setTimeout as pause } from "node:timers/promises";
import type { StandardInput } from "../container-session/standard-input.js";

/** A key of a terminal in raw mode. */
export type Key =
  | { readonly name: "up" | "down" | "enter" | "escape" | "backspace" | "clear" | "interrupt" | "end" }
  /** One character. */
  | { readonly name: "text"; readonly text: string };

/** How long the rest of a key's sequence may take after its escape character, in milliseconds. */
const REST_OF_SEQUENCE = 50;

const ESCAPE = "\u001b";

/** What follows the escape character of a key's sequence, whole: `[ ... letter`, `O letter`, or a key pressed with Alt. */
const SEQUENCE = /^(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^[O])/u;
const BEGUN = /^(?:\[[0-9;?]*[ -/]*|O)?$/;

const NAMED: Readonly<Record<string, Key["name"] & ("up" | "down")>> = dictionary({
  "[A": "up",
  OA: "up",
  "[B": "down",
  OB: "down",
});

/** Control characters: Ctrl-P and Ctrl-K go up, Ctrl-N goes down, Ctrl-U clears, Ctrl-D ends the input. */
const CONTROLS: Readonly<Record<string, Exclude<Key["name"], "text">>> = dictionary({
  "\r": "enter",
  "\n": "enter",
  "\b": "backspace",
  "\u007f": "backspace",
  "\u0003": "interrupt",
  "\u0004": "end",
  "\u0015": "clear",
  "\u0010": "up",
  "\u000b": "up",
  "\u000e": "down",
});

/**
 * Yields the keys as they are pressed, until the input ends. Unknown keys are skipped. A reader that stops early stops the input, and
 * nothing is read ahead that a later program should get.
 */
export async function* keysOf(input: StandardInput): AsyncGenerator<Key, void> {
  const chunks = input[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let begun = "";
  let next: Promise<IteratorResult<Uint8Array, void>> | undefined;
  try {
    for (;;) {
      next ??= chunks.next();
      const chunk = begun === "" ? await next : await Promise.race([next, pause(REST_OF_SEQUENCE, undefined)]);
      const text = begun + (chunk?.value === undefined ? "" : decoder.decode(chunk.value, { stream: true }));
      // An escape character that nothing follows is the key itself.
      const read = readKeys(text, chunk === undefined || chunk.done === true);
      begun = read.begun;
      if (chunk !== undefined) next = undefined;
      yield* read.keys;
      if (chunk?.done === true) return;
    }
  } finally {
    input.stop();
    await next;
    await chunks.return();
  }
}

/** `begun` is the beginning of a key's sequence, where `whole` does not say that nothing follows. */
function readKeys(text: string, whole: boolean): { readonly keys: readonly Key[]; readonly begun: string } {
  const keys: Key[] = [];
  let rest = text;
  while (rest !== "") {
    const [character = ""] = rest;
    if (character !== ESCAPE) {
      const name = CONTROLS[character];
      if (name !== undefined) keys.push({ name });
      else if (!/\p{Cc}/u.test(character)) keys.push({ name: "text", text: character });
      rest = rest.slice(character.length);
      continue;
    }
    const after = rest.slice(1);
    if (BEGUN.test(after) && !whole) return { keys, begun: rest };
    const [sequence = ""] = after.startsWith(ESCAPE) ? [] : (SEQUENCE.exec(after) ?? []);
    const name = sequence === "" ? "escape" : NAMED[sequence];
    if (name !== undefined) keys.push({ name });
    // The beginning of a sequence, where nothing more comes, means nothing but that.
    rest = BEGUN.test(after) ? "" : after.slice(sequence.length);
  }
  return { keys, begun: "" };
}
