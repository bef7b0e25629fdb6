import { describe, expect, it } from "vitest";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { ObjectMeta } from "../../../src/machinery/meta/object.js";
import { dns1123SubdomainErrors } from "../../../src/machinery/validation/names.js";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/machinery/validation/object-meta.js";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "1" };
const ROWS: readonly (readonly [string, Partial<ObjectMeta>, readonly string[]])[] = [
  ["a good one", {}, []],
  ["no name", { name: "" }, ["metadata.name: Required value: name or generateName is required"]],
  ["a name in capitals", { name: "A" }, [`metadata.name: Invalid value: "A": ${SUBDOMAIN}`]],
  [
    "a long name",
    { name: "a".repeat(254) },
    [`metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`],
  ],
  ["a generated name's beginning with a dash at its end", { generateName: "web-" }, []],
  [
    "a generated name's beginning in capitals",
    { generateName: "W" },
    [`metadata.generateName: Invalid value: "W": ${SUBDOMAIN}`],
  ],
  ["no namespace", { namespace: "" }, ["metadata.namespace: Required value"]],
  ["a namespace with a dot", { namespace: "a.b" }, ['metadata.namespace: Invalid value: "a.b": must not contain dots']],
  ["a label's key with a space", { labels: { "a b": "c" } }, [`metadata.labels: Invalid value: "a b": ${KEY}`]],
  [
    "a label's key without its name",
    { labels: { "x.io/": "c" } },
    [
      `metadata.labels: Invalid value: "x.io/": name part must be non-empty`,
      `metadata.labels: Invalid value: "x.io/": ${KEY}`,
    ],
  ],
  [
    "a label's key without its prefix",
    { labels: { "/a": "c" } },
    ['metadata.labels: Invalid value: "/a": prefix part must be non-empty'],
  ],
  [
    "a long label",
    { labels: { a: "x".repeat(64) } },
    [`metadata.labels: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`],
  ],
  ["a label's value with a space", { labels: { a: "b c" } }, [`metadata.labels: Invalid value: "b c": ${VALUE}`]],
  ["an annotation's key in capitals", { annotations: { "EXAMPLE.com/A": "anything goes" } }, []],
  [
    "an annotation's key with a space",
    { annotations: { "a b": "" } },
    [`metadata.annotations: Invalid value: "a b": ${KEY}`],
  ],
  ["annotations of 256 KiB", { annotations: { a: "x".repeat(256 * 1024 - 1) } }, []],
  [
    "annotations of one byte more",
    { annotations: { a: "x".repeat(256 * 1024) } },
    ["metadata.annotations: Too long: may not be more than 262144 bytes"],
  ],
  ["an owner", { ownerReferences: [owner] }, []],
  [
    "an owner without anything",
    { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    "an event as owner",
    { ownerReferences: [{ ...owner, kind: "Event" }] },
    [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"1"}: /v1, Kind=Event is disallowed from being an owner',
    ],
  ],
  [
    "two controllers",
    {
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: "q", controller: true },
      ],
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"1","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
    ],
  ],
  ["a generation", { generation: 7 }, []],
  [
    "a generation below none",
    { generation: -1 },
    ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
  ],
  ["who wrote what", { managedFields: [{ manager: "m", operation: "Apply", fieldsType: "FieldsV1" }] }, []],
  [
    "who wrote what in an odd way",
    {
      managedFields: [
        {
          manager: "m".repeat(129),
          operation: "Guess" as "Apply",
          fieldsType: "FieldsV2",
          subresource: "s".repeat(257),
        },
        {},
      ],
    },
    [
      'metadata.managedFields[0].operation: Invalid value: "Guess": must be `Apply` or `Update`',
      'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
      "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
      "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes",
      'metadata.managedFields[1].operation: Invalid value: "": must be `Apply` or `Update`',
    ],
  ],
  ["a finalizer", { finalizers: ["example.com/f"] }, []],
  ["a finalizer with a space", { finalizers: ["a b"] }, [`metadata.finalizers: Invalid value: "a b": ${KEY}`]],
  [
    "both deletion policies",
    { finalizers: ["orphan", "foregroundDeletion"] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
];

describe("validation of the metadata of a new object", () => {
  const rule = { namespaced: true, nameRule: dns1123SubdomainErrors };
  it.each(ROWS)("returns kube-apiserver's errors for: %s", (_, fields, errors) => {
    const metadata = { name: "x", namespace: "default", ...fields };
    expect(validateObjectMeta(metadata, rule).map(formatFieldError)).toEqual(errors);
  });

  it("refuses a namespace on a cluster-scoped kind", () => {
    const metadata = { name: "x", namespace: "default" };
    expect(validateObjectMeta(metadata, { ...rule, namespaced: false }).map(formatFieldError)).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
  });
});

const before = {
  name: "x",
  namespace: "default",
  uid: "1",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const DELETED = "2026-01-01T00:00:00Z";
const CHANGES: readonly (readonly [string, Partial<ObjectMeta>, Partial<ObjectMeta>, readonly string[]])[] = [
  ["nothing", {}, {}, []],
  ["labels", {}, { labels: { a: "b" } }, []],
  ["the name", {}, { name: "y" }, ['metadata.name: Invalid value: "y": field is immutable']],
  ["the namespace", {}, { namespace: "y" }, ['metadata.namespace: Invalid value: "y": field is immutable']],
  ["the uid", {}, { uid: "2" }, ['metadata.uid: Invalid value: "2": field is immutable']],
  [
    "the creation time",
    {},
    { creationTimestamp: "2027-01-01T00:00:00Z" },
    ['metadata.creationTimestamp: Invalid value: "2027-01-01T00:00:00Z": field is immutable'],
  ],
  [
    "the deletion's grace period",
    { deletionGracePeriodSeconds: 5 },
    { deletionGracePeriodSeconds: 6 },
    ["metadata.deletionGracePeriodSeconds: Invalid value: 6: field is immutable"],
  ],
  [
    "no version",
    {},
    { resourceVersion: "" },
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  [
    "a new finalizer on what is being deleted",
    { deletionTimestamp: DELETED },
    { deletionTimestamp: DELETED, finalizers: ["b.c/d", "a.b/c"] },
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/c", "b.c/d"}',
    ],
  ],
  [
    "a finalizer taken off what is being deleted",
    { deletionTimestamp: DELETED, finalizers: ["a.b/c"] },
    { deletionTimestamp: DELETED, finalizers: [] },
    [],
  ],
  ["a wrong label", {}, { labels: { a: "b c" } }, [`metadata.labels: Invalid value: "b c": ${VALUE}`]],
  [
    "a deletion undone",
    { deletionTimestamp: DELETED },
    {},
    ["metadata.deletionTimestamp: Invalid value: null: field is immutable"],
  ],
];

describe("validation of changed metadata", () => {
  it.each(CHANGES)("returns kube-apiserver's errors for a change of: %s", (_, old, changed, errors) => {
    const problems = validateObjectMetaUpdate({ ...before, ...changed }, { ...before, ...old });
    expect(problems.map(formatFieldError)).toEqual(errors);
  });
});
