import { expect, test } from "vitest";
import { linesOf } from "../../../src/base/text/lines-of.js";

async function* chunks(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === "string" ? new TextEncoder().encode(text) : text;
}

const cut = async (texts: readonly (string | Uint8Array)[], longest?: number): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const line of linesOf(chunks(...texts), longest)) lines.push(line);
  return lines;
};

const letter = new TextEncoder().encode("é\n");

test.each<[string, readonly (string | Uint8Array)[], readonly string[]]>([
  ["nothing", [], []],
  ["chunks without text", ["", ""], []],
  ["several lines in a chunk", ["a\nb\n"], ["a", "b"]],
  ["a line in several chunks", ["a", "b", "c\nd"], ["abc", "d"]],
  ["empty lines", ["\n", "\na\n\n"], ["", "", "a", ""]],
  ["a line end at the start of a chunk", ["a", "\nb"], ["a", "b"]],
  ["a carriage return, which is text", ["a\r\nb"], ["a\r", "b"]],
  ["a letter whose bytes are in two chunks", ["a", letter.subarray(0, 1), letter.subarray(1)], ["aé"]],
  ["a letter that is cut off by the end", ["a", letter.subarray(0, 1)], ["a\ufffd"]],
])("linesOf() splits chunks into lines: %s", async (_title, texts, lines) => {
  expect(await cut(texts)).toEqual(lines);
});

test("linesOf() keeps of each line at most the given number of bytes, however the chunks are cut", async () => {
  const texts = ["abcdef\n", "ab", "cd", "ef", "gh\nxyz", "\n", "abcdef"];
  expect(await cut(texts, 4)).toEqual(["abcd", "abcd", "xyz", "abcd"]);
  expect(await cut(texts, 3)).toEqual(["abc", "abc", "xyz", "abc"]);
  expect(await cut(texts)).toEqual(["abcdef", "abcdefgh", "xyz", "abcdef"]);
});
