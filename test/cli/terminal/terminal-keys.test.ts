import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { StandardInput } from "../../../src/cli/container-session/standard-input.js";
import { type Key, keysOf } from "../../../src/cli/terminal/terminal-keys.js";

/** The keys of pieces of input that come one after the other, each once the one before was read. */
async function keysIn(...pieces: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const input = new PassThrough();
  const keys: Key[] = [];
  const reading = (async () => {
    for await (const key of keysOf(new StandardInput(input))) keys.push(key);
  })();
  for (const piece of pieces) {
    input.write(piece);
    await new Promise(setImmediate);
  }
  input.end();
  await reading;
  return keys.map((key) => (key.name === "text" ? `'${key.text}'` : key.name));
}

test.each([
  ["letters, one by one", ["dev é"], ["'d'", "'e'", "'v'", "' '", "'é'"]],
  ["arrows", ["\u001b[A\u001b[B\u001bOA\u001bOB"], ["up", "down", "up", "down"]],
  ["an arrow in three pieces", ["\u001b", "[", "A"], ["up"]],
  [
    "Enter, Backspace and the others",
    ["\r\n\u007f\b\u0003\u0004\u0015"],
    ["enter", "enter", "backspace", "backspace", "interrupt", "end", "clear"],
  ],
  ["Ctrl-P, Ctrl-K and Ctrl-N", ["\u0010\u000b\u000e"], ["up", "up", "down"]],
  ["Escape at the end of the input", ["a\u001b"], ["'a'", "escape"]],
  ["Escape twice", ["\u001b\u001b"], ["escape", "escape"]],
  ["other keys are left out", ["\u001b[3~\u001b[1;5C\u001bx\u0001\u001b[Ha"], ["'a'"]],
  ["the beginning of a sequence at the end of the input", ["\u001b[1;"], ["escape"]],
  ["a character in two pieces", [Uint8Array.of(0xc3), Uint8Array.of(0xa9)], ["'é'"]],
])("terminal input is split into keys: %s", async (_what, pieces, keys) => {
  expect(await keysIn(...pieces)).toEqual(keys);
});

test("Escape is reported as a key when nothing follows it for a moment", async () => {
  const input = new PassThrough();
  const keys = keysOf(new StandardInput(input));
  input.write("\u001b");
  expect(await keys.next()).toEqual({ done: false, value: { name: "escape" } });
  input.write("q");
  expect(await keys.next()).toEqual({ done: false, value: { name: "text", text: "q" } });
  await keys.return();
});

test("a reader of keys that stops leaves later input to the next program", async () => {
  const input = new PassThrough();
  const keys = keysOf(new StandardInput(input));
  input.write("a");
  await keys.next();
  await keys.return();
  input.write("ls\n");
  expect(String(input.read())).toBe("ls\n");
  expect(input.listenerCount("readable")).toBe(0);
});
