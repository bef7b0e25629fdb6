import { expect, test } from "vitest";
import { excluding, type FieldFilter, including } from "../../../src/machinery/apply/field-filter.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";

const CONTAINER = 'k:{"name":"c"}';
const pod: JsonObject = {
  "f:metadata": { "f:labels": { ".": {}, "f:a": {} }, "f:finalizers": { 'v:"x"': {} } },
  "f:spec": {
    "f:nodeName": {},
    "f:containers": { [CONTAINER]: { ".": {}, "f:image": {}, "f:resources": { "f:limits": { "f:cpu": {} } } } },
  },
};

const rows: readonly (readonly [string, FieldFilter, JsonObject, JsonObject])[] = [
  [
    "excluding a path takes all that is below it",
    excluding("spec"),
    pod,
    { "f:metadata": pod["f:metadata"] as JsonObject },
  ],
  [
    "excluding a deeper path leaves its siblings",
    excluding("metadata.labels", "spec"),
    pod,
    { "f:metadata": { "f:finalizers": { 'v:"x"': {} } } },
  ],
  ["excluding what is not there leaves all", excluding("status"), pod, pod],
  [
    "including a path keeps all that is below it",
    including("metadata.labels"),
    pod,
    { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } } },
  ],
  [
    "including through any step keeps the steps that are in the set themselves",
    including("spec.containers.*.resources"),
    pod,
    { "f:spec": { "f:containers": { [CONTAINER]: { ".": {}, "f:resources": { "f:limits": { "f:cpu": {} } } } } } },
  ],
  [
    "including keeps a step that the set ends at",
    including("spec.containers.*.resources"),
    { "f:spec": {} },
    { "f:spec": {} },
  ],
  [
    "including several paths",
    including("spec.nodeName", "metadata.finalizers"),
    pod,
    { "f:metadata": { "f:finalizers": { 'v:"x"': {} } }, "f:spec": { "f:nodeName": {} } },
  ],
  ["including what is not there leaves nothing", including("status"), pod, {}],
];

test.each(rows)("filtering a set of owned fields: %s", (_, filter, set, expected) => {
  const before = JSON.stringify(set);
  expect(filter(set as never)).toEqual(expected);
  expect(JSON.stringify(set)).toBe(before);
});
