import { configMap, containers, labelled, podWith } from "./objects.js";
import { rows } from "./row.js";

const parsed = (text: string) => JSON.parse(text) as never;

export const mergePatches = rows(
  ["a key is set", labelled({ a: "1" }), { metadata: { labels: { b: "2" } } }],
  ["a key is removed", labelled({ a: "1", b: "1" }), { metadata: { labels: { a: null } } }],
  ["a key that is not there is removed", labelled({ a: "1" }), { metadata: { labels: { x: null } } }],
  ["a map is removed", labelled({ a: "1" }), { metadata: { labels: null } }],
  ["a list is replaced", containers({ name: "a" }), { spec: { containers: [{ name: "b" }] } }],
  ["directives are data", containers({ name: "a" }), { spec: { containers: [{ name: "a", $patch: "delete" }] } }],
  ["a map takes a list's place", containers({ name: "a" }), { spec: { containers: { a: 1 } } }],
  ["a list takes a map's place, nulls and all", podWith({ x: { a: 1 } }), { spec: { x: [{ a: null }] } }],
  ["a map takes a text's place, without its nulls", podWith({ x: "a" }), { spec: { x: { a: null, b: { c: null } } } }],
  ["a new map drops its nulls", podWith({}), { spec: { x: { a: null, b: { c: null, d: [] } } } }],
  ["a new list drops nulls in its objects", podWith({}), { spec: { x: [null, { a: null, b: [{ c: null }] }] } }],
  ["nulls in a list over a list", podWith({ x: [1] }), { spec: { x: [null, { a: null }] } }],
  ["null in the object stays until it is named", podWith({ x: null, y: null }), { spec: { x: 1 } }],
  ["a map in place of null", podWith({ x: null }), { spec: { x: { a: null, b: 1 } } }],
  ["an empty patch", configMap({ a: "1" }), {}],
  ["an empty map over a map", configMap({ a: "1" }), { data: {} }],
  ["an empty map over nothing", configMap({ a: "1" }), { binaryData: {} }],
  ["great numbers", podWith({ x: 1 }), { spec: { x: 9007199254740993n } }],
  ["fractions", podWith({ x: 1 }), { spec: { x: 1.5 } }],
  [
    "keys named like members of objects",
    labelled({}),
    parsed('{"metadata":{"labels":{"__proto__":"1","constructor":{"a":null}}}}'),
  ],
  ["a text", podWith({}), "a"],
  ["a number", podWith({}), 1],
);
