import { expect, test } from "vitest";
import { fieldsV1Text, isShared, shareFieldsV1 } from "../../../../src/machinery/wire/json/fields-v1-text.js";

test("two fieldsV1 with the same text are decoded to one shared value", () => {
  const [a, b] = [{ "f:data": { "f:x": {} } }, { "f:data": { "f:x": {} } }];
  const shared = shareFieldsV1(a);
  expect(shareFieldsV1(b)).toBe(shared);
  expect(shareFieldsV1(shared)).toBe(shared);
  expect([isShared(shared), isShared({ "f:data": { "f:x": {} } })]).toEqual([true, false]);
  expect(fieldsV1Text(shared)).toBe('{"f:data":{"f:x":{}}}');
});

test("fieldsV1 in another order are another value", () => {
  const shared = shareFieldsV1({ "f:a": {}, "f:b": {} });
  expect(shareFieldsV1({ "f:b": {}, "f:a": {} })).not.toBe(shared);
});

test("fieldsV1 are written as Go writes them", () => {
  const value = { "f:<&>": {}, "f:\ud800": {} };
  expect(fieldsV1Text(value)).toBe('{"f:\\u003c\\u0026\\u003e":{},"f:\ufffd":{}}');
  expect(fieldsV1Text(shareFieldsV1(value))).toBe('{"f:\\u003c\\u0026\\u003e":{},"f:\ufffd":{}}');
});

test("the cache of fieldsV1 drops old texts, which are decoded again correctly", () => {
  const make = (n: number) => ({ [`f:${"long-".repeat(100)}${n}`]: {} });
  const first = shareFieldsV1(make(0));
  expect(shareFieldsV1(make(0))).toBe(first);
  for (let n = 1; n < 5000; n++) shareFieldsV1(make(n));
  expect(shareFieldsV1(make(0))).not.toBe(first);
  expect(fieldsV1Text(first)).toBe(JSON.stringify(make(0)));
});
