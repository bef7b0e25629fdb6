import { describe, expect, test } from "vitest";
import { parseFieldsV1, printFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import type { JsonValue } from "../../../src/machinery/meta/json.js";

const reprint = (text: string) => JSON.stringify(printFieldsV1(parseFieldsV1(JSON.parse(text) as JsonValue)));

describe("fieldsV1 in canonical form are printed as they were read", () => {
  test.each([
    ["nothing", "{}"],
    ["a field", '{"f:spec":{}}'],
    ["a field of a field", '{"f:spec":{"f:replicas":{}}}'],
    ["a field and what is in it", '{"f:data":{".":{},"f:a":{}}}'],
    [
      "a list item by its key",
      '{"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}',
    ],
    ["an item of a set", '{"f:finalizers":{"v:\\"a\\"":{}}}'],
    ["an index", '{"i:0":{}}'],
    ["fields before keys before values before indexes", '{"f:z":{},"k:{\\"name\\":\\"a\\"}":{},"v:1":{},"i:0":{}}'],
    ["a field whose name has a colon", '{"f:a:b":{}}'],
    ["a field without a name", '{"f:":{}}'],
    ["a label with a slash and dots", '{"f:app.kubernetes.io/name":{}}'],
    ["a field named like a method", '{"f:constructor":{},"f:hasOwnProperty":{}}'],
    ["a field named __proto__", '{"f:__proto__":{}}'],
    ["values of every kind", '{"v:-1":{},"v:2.5":{},"v:\\"a\\"":{},"v:false":{},"v:true":{},"v:null":{}}'],
    ["an item with no key at all", '{"k:{}":{}}'],
  ])("%s", (_, text) => {
    expect(reprint(text)).toBe(text);
  });
});

describe("fieldsV1 in another form are brought into canonical form", () => {
  test.each([
    ["fields are sorted by bytes", '{"f:b":{},"f:a":{},"f:B":{}}', '{"f:B":{},"f:a":{},"f:b":{}}'],
    ["beyond the basic plane sorts last", '{"f:\u{1F600}":{},"f:\uFFFD":{}}', '{"f:\uFFFD":{},"f:\u{1F600}":{}}'],
    ["the dot comes first", '{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ["a dot alone is a leaf", '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ["the whole object is nobody's", '{".":{},"f:a":{}}', '{"f:a":{}}'],
    ["the whole object alone is nothing", '{".":{}}', "{}"],
    ["keys of an item are sorted", '{"k:{\\"b\\":1,\\"a\\":2}":{}}', '{"k:{\\"a\\":2,\\"b\\":1}":{}}'],
    ["blanks in an item's key go", '{"k:{ \\"a\\" : 1 }":{}}', '{"k:{\\"a\\":1}":{}}'],
    ["blanks in a value go", '{"v: \\"a\\"":{}}', '{"v:\\"a\\"":{}}'],
    ["a number is written plainly", '{"v:1.0":{}}', '{"v:1":{}}'],
    ["two writings of one step are one", '{"v:1":{},"v:1.0":{"f:a":{}}}', '{"v:1":{".":{},"f:a":{}}}'],
    ["numbers sort by value", '{"v:10":{},"v:9":{}}', '{"v:9":{},"v:10":{}}'],
    ["indexes sort by value", '{"i:10":{},"i:9":{}}', '{"i:9":{},"i:10":{}}'],
    ["numbers come before text", '{"v:\\"1\\"":{},"v:1":{}}', '{"v:1":{},"v:\\"1\\"":{}}'],
    [
      "items sort by key, number by value",
      '{"k:{\\"p\\":443}":{},"k:{\\"p\\":80}":{}}',
      '{"k:{\\"p\\":80}":{},"k:{\\"p\\":443}":{}}',
    ],
    [
      "a shorter key comes first",
      '{"k:{\\"a\\":1,\\"b\\":1}":{},"k:{\\"a\\":1}":{}}',
      '{"k:{\\"a\\":1}":{},"k:{\\"a\\":1,\\"b\\":1}":{}}',
    ],
    ["steps of unknown kinds are left out", '{"q:a":{"f:b":{}},"f:a":{}}', '{"f:a":{}}'],
    ["a step that leads to nothing known is a leaf", '{"f:a":{"q:b":{}}}', '{"f:a":{}}'],
    ["null is a leaf", '{"f:a":null}', '{"f:a":{}}'],
    ["an index with a sign and zeros", '{"i:+01":{}}', '{"i:1":{}}'],
  ])("%s", (_, text, expected) => {
    expect(reprint(text)).toBe(expected);
  });

  test("missing fieldsV1 are an empty set", () => {
    expect(printFieldsV1(parseFieldsV1(undefined))).toEqual({});
    expect(printFieldsV1(parseFieldsV1(null))).toEqual({});
  });
});

describe("invalid fieldsV1 are refused", () => {
  test.each([
    ["a list", "[]"],
    ["a text", '"f:a"'],
    ["a number below a step", '{"f:a":1}'],
    ["a step of one byte", '{"f":{}}'],
    ["a step without a colon", '{"fa":{}}'],
    ["an index that is no number", '{"i:a":{}}'],
    ["a value that is no JSON", '{"v:a":{}}'],
    ["a value with something behind it", '{"v:1 2":{}}'],
    ["an item's key that is no JSON", '{"k:{":{}}'],
    ["an item's key that is a list", '{"k:[]":{}}'],
  ])("%s", (_, text) => {
    expect(() => parseFieldsV1(JSON.parse(text) as JsonValue)).toThrow();
  });
});
