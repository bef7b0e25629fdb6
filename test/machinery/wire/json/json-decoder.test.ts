import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeJson, decodeOwnJson, JsonDecodeError } from "../../../../src/machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../../src/machinery/wire/json/json-encoder.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("decodeJson() refuses in Go's words", () => {
  test.each([
    ["nothing", "", "unexpected end of JSON input"],
    ["an object that is not closed", '{"a":1', "unexpected end of JSON input"],
    ["a string that is not closed", '"abc', "unexpected end of JSON input"],
    ["a bare word", "hello", "invalid character 'h' looking for beginning of value"],
    ["a word that starts well", "trux", "invalid character 'x' in literal true (expecting 'e')"],
    ["a comma before the end", '{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["a missing colon", '{"a" 1}', "invalid character '1' after object key"],
    ["a missing comma between pairs", '{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ["a missing comma between items", "[1 2]", "invalid character '2' after array element"],
    ["something after the value", "{} {}", "invalid character '{' after top-level value"],
    ["a leading zero", "[01]", "invalid character '1' after array element"],
    ["a point without digits", "[1.]", "invalid character ']' after decimal point in numeric literal"],
    ["an exponent without digits", "[1e+]", "invalid character ']' in exponent of numeric literal"],
    ["a tab in a string", '"a\tb"', "invalid character '\\t' in string literal"],
    ["an unknown escape", '"\\x"', "invalid character 'x' in string escape code"],
    ["a short unicode escape", '"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    [
      "an integer that no float holds",
      "9".repeat(400),
      `json: cannot unmarshal number ${"9".repeat(400)} into Go value of type float64`,
    ],
    ["a byte order mark", "\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ])("%s", (_name, text, message) => {
    expect(() => decodeJson(bytes(text))).toThrow(
      new JsonDecodeError(message, expect.any(Number) as number, message.includes("unexpected end")),
    );
  });

  test("nesting deeper than ten thousand, of whatever", () => {
    const deep = (open: string, close: string): Uint8Array => bytes(open.repeat(10_001) + close.repeat(10_001));
    expect(() => decodeJson(deep("[", "]"))).toThrow("exceeded max depth");
    expect(() => decodeJson(bytes(`${'{"a":'.repeat(10_001)}1${"}".repeat(10_001)}`))).toThrow("exceeded max depth");
    expect(encodeJson(decodeJson(bytes("[".repeat(9_999) + "]".repeat(9_999))).value)).toHaveLength(19_998);
  });
});

describe("decodeJson() keeps", () => {
  test("integers beyond 2^53 exactly, and floats as floats", () => {
    const text = '{"a":9007199254740993,"b":-9223372036854775808,"c":1.5,"d":1e3,"e":9007199254740991}';
    const { value } = decodeJson(bytes(text));
    expect(value).toEqual({ a: 9007199254740993n, b: -9223372036854775808n, c: 1.5, d: 1000, e: 9007199254740991 });
  });

  test("the last of repeated keys, and reports which were repeated", () => {
    const { value, duplicates } = decodeJson(bytes('{"a":1,"b":{"c":1,"c":2},"a":3}'));
    expect(value).toEqual({ a: 3, b: { c: 2 } });
    expect([...(duplicates?.values() ?? [])]).toEqual([
      ["c", "c"],
      ["a", "b", "a"],
    ]);
  });

  test("a key named __proto__ as a key", () => {
    const { value } = decodeJson(bytes('{"__proto__":{"x":1},"y":12345678901234567890}'));
    expect(Object.keys(value as object)).toEqual(["__proto__", "y"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(encodeJson(value)).toBe('{"__proto__":{"x":1},"y":12345678901234567000}');
  });

  test("invalid UTF-8 in strings as replacement characters", () => {
    const data = Uint8Array.of(0x22, 0x61, 0xff, 0x62, 0x22);
    expect(decodeJson(data).value).toBe("a\ufffdb");
  });

  test("every value that JSON.parse keeps", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const asNumbers = (_key: string, held: unknown): unknown => (typeof held === "bigint" ? Number(held) : held);
        expect(JSON.stringify(decodeJson(bytes(text)).value, asNumbers)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("decodeOwnJson(), for what the server encoded itself, reads as decodeJson() does", () => {
  test.each([
    '{"a":[1,2.5,-3,{"b":null}],"c":"x"}',
    '{"a":9007199254740993}',
    "9007199254740992",
    '{"a":[-9007199254740993]}',
    '{ "a" : [ 1, 9007199254740993 ] }',
    '{"a":1e300,"b":-1E-7}',
    '{"a":-0,"b":[-0.5]}',
    '{"a":123456789012345.678901}',
    '{"a":"1,4e5 of 2026-01-02T03:04:05Z"}',
  ])("%s", (text) => {
    expect(decodeOwnJson(bytes(text))).toStrictEqual(decodeJson(text).value);
  });

  test("any random JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(decodeOwnJson(bytes(text))).toStrictEqual(decodeJson(text).value);
      }),
    );
  });

  test("but refuses the same invalid texts", () => {
    expect(() => decodeOwnJson(bytes('{"a":1'))).toThrow(JsonDecodeError);
  });
});

describe("encodeJson() writes", () => {
  test.each([
    [
      "the characters Go escapes",
      { a: "<&>\u2028\u2029\u007f" },
      {},
      '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\u007f"}',
    ],
    [
      "keys in byte order",
      { "\u{1f600}": 1, "\uffee": 2, b: 3, a: 4 },
      { sortKeys: true },
      '{"a":4,"b":3,"\uffee":2,"\u{1f600}":1}',
    ],
    [
      "exact big integers and Go's exponents",
      [2n ** 63n - 1n, 1e21, 1e-7, 0.1],
      {},
      "[9223372036854775807,1e+21,1e-7,0.1]",
    ],
    [
      "empty things on one line when indenting",
      { a: {}, b: [], c: [1] },
      { indent: 4 },
      '{\n    "a": {},\n    "b": [],\n    "c": [\n        1\n    ]\n}',
    ],
    ["no undefined properties", { a: undefined, b: null }, {}, '{"b":null}'],
  ] as const)("%s", (_name, value, options, text) => {
    expect(encodeJson(value, options)).toBe(text);
  });
});
