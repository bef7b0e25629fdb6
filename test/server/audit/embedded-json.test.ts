import { describe, expect, test } from "vitest";
import { compactJson, withoutManagedFields } from "../../../src/server/audit/embedded-json.js";
import { patchJson } from "../../../src/server/audit/patch-json.js";

describe("JSON that is embedded in an audit event", () => {
  test.each([
    ['{ "a" : [ 1 , 2.0 ],\n\t"b c": " d " }\n', '{"a":[1,2.0],"b c":" d "}'],
    ['{"a":"<b> & \\"c\\" \\\\"}', '{"a":"\\u003cb\\u003e \\u0026 \\"c\\" \\\\"}'],
    ['["\u2028"]', '["\\u2028"]'],
  ])("%j loses space between tokens, and special characters of HTML are escaped", (text, expected) => {
    expect(compactJson(text)).toBe(expected);
  });

  test.each([
    [
      '{"metadata":{"managedFields":[{"a":"}]"}],"name":"a"},"data":{"managedFields":"1"}}',
      '{"metadata":{"name":"a"},"data":{"managedFields":"1"}}',
    ],
    ['{"metadata":{"name":"a","managedFields":[]}}', '{"metadata":{"name":"a"}}'],
    ['{"metadata":{"name":"a","managedFields":[{}],"uid":"b"}}', '{"metadata":{"name":"a","uid":"b"}}'],
    ['{"metadata":{"managedFields":null}}', '{"metadata":{}}'],
    [
      '{"items":[{"metadata":{"managedFields":[1],"name":"a"}},{"metadata":{}}],"metadata":{}}',
      '{"items":[{"metadata":{"name":"a"}},{"metadata":{}}],"metadata":{}}',
    ],
    [
      '{"rows":[{"cells":["managedFields"],"object":{"metadata":{"managedFields":{"a":1}}}}]}',
      '{"rows":[{"cells":["managedFields"],"object":{"metadata":{}}}]}',
    ],
    [
      '{"spec":{"metadata":{"managedFields":[1]}},"x":"\\"managedFields\\""}',
      '{"spec":{"metadata":{"managedFields":[1]}},"x":"\\"managedFields\\""}',
    ],
  ])("loses only the managed fields of objects: %s", (text, expected) => {
    expect(withoutManagedFields(text)).toBe(expected);
  });
});

describe("the patch in an audit event", () => {
  test("is the sent one", () => expect(patchJson(Buffer.from('[ {"op":"test"} ]'))).toBe('[{"op":"test"}]'));
  test("of an apply is converted from YAML", () =>
    expect(patchJson(Buffer.from("b: 1\na: [x]\n"))).toBe('{"a":["x"],"b":1}'));
  test("is left out when the body cannot be parsed", () => expect(patchJson(Buffer.from("{a: [}"))).toBeUndefined());
});
