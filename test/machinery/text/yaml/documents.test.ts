import { describe, expect, it } from "vitest";
import { decodeManifest, readDocuments } from "../../../../src/machinery/text/yaml/documents.js";

/** What was read, then the error's message if one ended the stream. */
function read(text: string): { readonly values: unknown[]; readonly lines: number[]; readonly error?: string } {
  const values: unknown[] = [];
  const lines: number[] = [];
  try {
    for (const { value, line } of readDocuments(text)) {
      values.push(value);
      lines.push(line);
    }
  } catch (error) {
    return { values, lines, error: (error as Error).message };
  }
  return { values, lines };
}

describe("reading YAML and JSON documents from a stream", () => {
  it.each([
    { name: "one document", text: "a: 1\n", values: [{ a: 1 }], lines: [1] },
    {
      name: "documents parted by a line of three dashes",
      text: "a: 1\n---\nb: 2\n",
      values: [{ a: 1 }, { b: 2 }],
      lines: [1, 3],
    },
    {
      name: "empty documents and documents of comments are skipped",
      text: "---\n---\n# x\n---\na: 1\n---\n",
      values: [{ a: 1 }],
      lines: [5],
    },
    { name: "a comment may follow the dashes", text: "--- # first\na: 1\n", values: [{ a: 1 }], lines: [1] },
    {
      name: "line ends of Windows",
      text: "a: 1\r\n---\r\nb: |\r\n  x\r\n  y\r\n",
      values: [{ a: 1 }, { b: "x\ny\n" }],
      lines: [1, 3],
    },
    { name: "no line end at the end", text: "a: 1\n---\nb: 2", values: [{ a: 1 }, { b: 2 }], lines: [1, 3] },
    {
      name: "JSON values one after another",
      text: '{"a":1}{"b":2}\n\n{"c":3}\n',
      values: [{ a: 1 }, { b: 2 }, { c: 3 }],
      lines: [1, 1, 3],
    },
    { name: "YAML after JSON", text: '{"a":1}\n---\nb: 2\n', values: [{ a: 1 }, { b: 2 }], lines: [1, 2] },
    { name: "what looks like JSON and is YAML", text: "{a: 1,}\n", values: [{ a: 1 }], lines: [1] },
    {
      name: "an int64 in JSON keeps its digits",
      text: '{"a":9007199254740993}',
      values: [{ a: 9007199254740993n }],
      lines: [1],
    },
    { name: "nothing at all", text: "", values: [], lines: [] },
  ])("$name", ({ text, values, lines }) => {
    expect(read(text)).toEqual({ values, lines });
  });

  it.each([
    {
      name: "a bad document does not hide the one before it",
      text: "a: 1\n---\nb: c: d\n",
      values: [{ a: 1 }],
      error: "error converting YAML to JSON: yaml: mapping values are not allowed in this context",
    },
    { name: "text after the dashes", text: "a: 1\n--- b\n", values: [], error: "invalid Yaml document separator: b" },
    { name: "JSON that ends too early", text: '{"a":1', values: [], error: "unexpected EOF" },
    {
      name: "text after a JSON value",
      text: '{"a":1}x',
      values: [{ a: 1 }],
      error: "json: offset 8: invalid character 'x' looking for beginning of value",
    },
    {
      name: "a template that was not filled in",
      text: "{{ .x }}: 1\n",
      values: [],
      error: "json: offset 2: invalid character '{' looking for beginning of object key string",
    },
    {
      name: "the third JSON value is broken",
      text: "{}{}{]",
      values: [{}, {}],
      error: "invalid character ']' looking for beginning of object key string",
    },
  ])("refuses: $name", ({ text, values, error }) => {
    expect(read(text)).toMatchObject({ values, error });
  });

  it("names the place of an error in the whole stream", () => {
    const advance = (): void => void [...readDocuments("a: 1\n---\nb: 1\nc: [\n")];
    expect(advance).toThrowError(expect.objectContaining({ line: 5 }));
  });

  it("returns a JSON document's own text", () => {
    expect([...readDocuments(' {"b":1,\n"a":2} {}')].map(({ raw }) => raw)).toEqual(['{"b":1,\n"a":2}', "{}"]);
  });
});

describe("decoding the bytes of a manifest", () => {
  it.each([
    { name: "UTF-8 with a mark", bytes: [0xef, 0xbb, 0xbf, 0x61] },
    { name: "UTF-16, little end first", bytes: [0xff, 0xfe, 0x61, 0x00] },
    { name: "UTF-16, big end first", bytes: [0xfe, 0xff, 0x00, 0x61] },
    { name: "plain", bytes: [0x61] },
  ])("$name", ({ bytes }) => {
    expect(decodeManifest(Uint8Array.from(bytes))).toBe("a");
  });
});
