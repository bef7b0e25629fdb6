import { expect, test } from "vitest";
import { wrapParagraphs } from "../../../src/commands/explain/legacy-plaintext.js";

const WIDTH = 76;
/** 65 bytes: "following:" still fits behind it, "ggggg following:" does not. */
const LONG = "aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee ffffffffff";

const rows: readonly [title: string, text: string, lines: readonly string[]][] = [
  ["joins lines", "one\ntwo", ["one two"]],
  ["keeps the break behind a colon", "one of:\ntwo", ["one of:", "two"]],
  [
    "keeps the break behind a colon that fits at a line's end",
    `${LONG} following:\nnext`,
    [`${LONG} following:`, "next"],
  ],
  ["joins to a colon that did not fit", `${LONG} ggggg following:\nnext`, [`${LONG} ggggg`, "following: next"]],
  [
    "keeps the break behind a colon, with a word before it that did not fit",
    `${LONG} gggggggg the following:\nnext`,
    [`${LONG} gggggggg`, "the following:", "next"],
  ],
  ["keeps lists, code and empty lines", "a\n- b\n\n    code\nc", ["a", "- b", "", "    code", "c"]],
];

test.each(rows)("the older renderer of explain %s", (_, text, lines) => {
  expect(wrapParagraphs(text, WIDTH)).toEqual(lines);
});
