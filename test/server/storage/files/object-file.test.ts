import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/machinery/meta/json.js";
import { encodeJson } from "../../../../src/machinery/wire/json/json-encoder.js";
import { Layout } from "../../../../src/server/storage/files/layout.js";
import { readObjectFile, valueOf, writeObjectFile } from "../../../../src/server/storage/files/object-file.js";
import { PLACES } from "./folder.js";

const place = new Layout(PLACES).placeOfKey("/registry/pods/default/a");
if (place === undefined) throw new Error("pods have no place");

const head = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", namespace: "default" } };
const bytesOf = (object: unknown): Uint8Array => Buffer.from(encodeJson(object));

function trip(object: unknown): string {
  const text = writeObjectFile(place!, bytesOf(object));
  return Buffer.from(valueOf(readObjectFile(place!, Buffer.from(text ?? "")).object)).toString();
}

describe("an object written to a YAML file (B-FS-03)", () => {
  test("has its fields in stored order, and texts that look like another type in quotes", () => {
    const object = {
      ...head,
      data: { z: "yes", a: "1e3", date: "2026-01-01", number: "012", nothing: "~", text: "a\nb\n" },
    };
    expect(writeObjectFile(place, bytesOf(object), Date.parse("2026-11-30T01:02:03.456Z"))).toBe(
      `# expires: 2026-11-30T01:02:03.456Z
kind: Pod
apiVersion: v1
metadata:
  name: a
  namespace: default
data:
  z: "yes"
  a: "1e3"
  date: "2026-01-01"
  number: "012"
  nothing: "~"
  text: |
    a
    b
`,
    );
  });

  test.each([
    "yes",
    "no",
    "on",
    "y",
    "null",
    "~",
    "",
    " ",
    "1e3",
    "012",
    "0x1f",
    "1_000",
    ".5",
    "1.",
    "+1",
    "-0",
    ".inf",
    ".nan",
    "<<",
    "=",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "12:30",
    "- a",
    "a: b",
    "a #b",
    "'",
    '"',
    "\\",
    "\u0000",
    "\u007f",
    "\u0085",
    "\ufeff",
    "\u2028",
    "\r\n",
    "a\r",
    "\ta",
    "---",
    "...",
    "--- a\n---\nb",
    "|",
    "%TAG",
    "@a",
    "`a",
    "{",
    "[a]",
    "*a",
    "&a",
    "!a",
    "?",
    "😀",
    "\u{10ffff}",
    "a\n\n",
    "\n",
    " \n a",
    `${"long ".repeat(60)}`,
  ])("keeps the text %j, as a value and as a key", (text) => {
    const object = { ...head, data: { value: text, [`k${text}`]: [text, { [text]: text }] } };
    expect(trip(object)).toBe(encodeJson(object));
  });

  test.each([
    0,
    1,
    -1,
    1.5,
    0.1,
    1e21,
    1e-7,
    1.7976931348623157e308,
    5e-324,
    2 ** 53,
    2n ** 63n - 1n,
    -(2n ** 63n),
    1e15,
    123456789012345680000,
  ])("keeps the number %s", (number) => {
    const object = { ...head, spec: { number } };
    expect(trip(object)).toBe(encodeJson(object));
  });

  test("has -0 written as 0, since integers have one zero", () => {
    expect(trip({ ...head, spec: { number: -0 } })).toBe(encodeJson({ ...head, spec: { number: 0 } }));
  });

  test("is read back byte for byte, for any random object", () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        texts,
        fc.boolean(),
        fc.constant(null),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(texts, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (spec) => {
        const stored = Buffer.from(bytesOf({ ...head, spec })).toString();
        expect(trip({ ...head, spec })).toBe(stored);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["", "it is empty"],
    ["\u0000", "control characters are not allowed"],
    ["a: [", "line 1: did not find expected node content"],
    ["- a", "it does not hold an object"],
    ["kind: Pod", "apiVersion is missing"],
    ["kind: Pod\napiVersion: v1", "metadata is missing"],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: b}", 'metadata.name is "b", and the file is that of "a"'],
    [
      "kind: Pod\napiVersion: v1\nmetadata: {name: a, namespace: other}",
      'metadata.namespace is "other", and its folder is for "default"',
    ],
    [
      "kind: Service\napiVersion: v1\nmetadata: {name: a}",
      "it holds a Service of v1, and its folder is for Pod of the core group",
    ],
    [
      "kind: Pod\napiVersion: apps/v1\nmetadata: {name: a}",
      "it holds a Pod of apps/v1, and its folder is for Pod of the core group",
    ],
    ["kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\nkind: Pod", "it holds several documents"],
    ["kind: Pod\nkind: Pod\napiVersion: v1\nmetadata: {name: a}", 'line 2: key "kind" already set in map'],
  ])("is refused with the text %j: %s", (text, reason) => {
    expect(() => readObjectFile(place, Buffer.from(text))).toThrow(reason);
  });

  test("may lack its namespace, which its folder gives", () => {
    const object: JsonObject = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } };
    expect(readObjectFile(place, bytesOf(object)).object).toEqual(object);
  });
});
