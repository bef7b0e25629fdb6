import { describe, expect, test } from "vitest";
import { readCsv } from "../../../../src/machinery/text/go/go-csv.js";

const fields = (text: string) => readCsv(text).map((record) => record.fields);

describe("reading CSV as Go's encoding/csv does", () => {
  test.each([
    ["one of three fields", "a,b,c\n", [["a", "b", "c"]]],
    [
      "the last without a line's end",
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "with Windows' lines",
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["none of empty lines", "\n\na\n\r\nb\n\n", [["a"], ["b"]]],
    ["with empty fields", ",,\n", [["", "", ""]]],
    ["with a field in quotes", 'a,"b,c",d', [["a", "b,c", "d"]]],
    ["with doubled quotes", '"a ""b"" c"', [['a "b" c']]],
    ["with an empty field in quotes", '"",x', [["", "x"]]],
    ["with a field of several lines", 'a,"b\nc",d\ne', [["a", "b\nc", "d"], ["e"]]],
    ["with spaces, which are the field's", " a , b", [[" a ", " b"]]],
    ["none of nothing", "", []],
  ])("%s", (_, text, expected) => {
    expect(fields(text)).toEqual(expected);
  });
});

describe("reading invalid CSV throws Go's error", () => {
  test.each([
    ["a quote within a field", 'a,b"c', 'parse error on line 1, column 4: bare " in non-quoted field'],
    ["a quote behind a space", 'a, "b"', 'parse error on line 1, column 4: bare " in non-quoted field'],
    ["text behind a quoted field", '"a"b', 'parse error on line 1, column 3: extraneous or missing " in quoted-field'],
    ["a quote that does not end", 'a\n"b', 'parse error on line 2, column 3: extraneous or missing " in quoted-field'],
    [
      "a quote that does not end, lines later",
      'a,"b\nc\nd',
      'record on line 1; parse error on line 3, column 2: extraneous or missing " in quoted-field',
    ],
    ["a quote behind letters of two bytes", 'éé"', 'parse error on line 1, column 5: bare " in non-quoted field'],
  ])("%s", (_, text, message) => {
    expect(() => readCsv(text)).toThrow(message);
  });
});

test("a CSV record has the number of the line on which it begins", () => {
  expect(readCsv('\na\n"b\nc"\n\nd').map(({ line }) => line)).toEqual([2, 3, 6]);
});
