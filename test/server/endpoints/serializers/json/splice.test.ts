import { expect, test } from "vitest";
import {
  itemStart,
  spliceMetadata,
  spliceResourceVersion,
} from "../../../../../src/server/endpoints/serializers/json/splice.js";

const UID = "b7f0c2ce-33d5-4e0a-8d3c-0d1d34d3c8a1";

/** What a metadata field holds, by a name for it; each with the version where it must come to stand. */
const canonical: Readonly<Record<string, string>> = {
  "only a name": `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","uid":"${UID}"@},"spec":{}}`,
  "a namespace": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"a","uid":"${UID}"@,"generation":2}}`,
  "a generated name": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p-x","generateName":"p-","namespace":"a","uid":"${UID}"@}}`,
  "a name like the field": `{"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"uid","uid":"${UID}"@}}`,
  "letters of several bytes": `{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"größe","uid":"${UID}"@}}`,
};

test.each(Object.entries(canonical))(
  "the resourceVersion is inserted behind the uid without decoding: %s",
  (_, text) => {
    const bytes = Buffer.from(text.replace("@", ""));
    const spliced = spliceResourceVersion(bytes, 1234, Buffer.from("\n"));
    expect(Buffer.from(spliced ?? []).toString()).toBe(`${text.replace("@", ',"resourceVersion":"1234"')}\n`);
    expect(bytes.toString()).toBe(text.replace("@", ""));
  },
);

const others: Readonly<Record<string, string>> = {
  "labels before a uid": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"uid":"${UID}"}}}`,
  "no uid": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"uid":"${UID}"}}`,
  "an escape": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a\\"b","uid":"${UID}"}}`,
  "no metadata": `{"kind":"Pod","apiVersion":"v1"}`,
  "an empty document": "",
};

test.each(Object.entries(others))("inserting the resourceVersion without decoding is not tried for: %s", (_, text) => {
  expect(spliceResourceVersion(Buffer.from(text), 1)).toBeUndefined();
});

test.each(Object.entries(canonical))(
  "metadata is cut out of an object with its resourceVersion, without decoding: %s",
  (_, text) => {
    const spliced = spliceMetadata(Buffer.from(text.replace("@", "")), 1234, '{"kind":"PartialObjectMetadata",');
    const { metadata } = JSON.parse(text.replace("@", ',"resourceVersion":"1234"'));
    expect(Buffer.from(spliced ?? []).toString()).toBe(JSON.stringify({ kind: "PartialObjectMetadata", metadata }));
  },
);

test("the end of metadata is found, whatever its texts contain", () => {
  const metadata = { name: "n", uid: UID, annotations: { 'a"}': '\\"}}{', b: "\\" }, ownerReferences: [{ uid: "}" }] };
  const bytes = Buffer.from(JSON.stringify({ kind: "Node", apiVersion: "v1", metadata, spec: { a: "}" } }));
  const spliced = spliceMetadata(bytes, 7, "{");
  const { name, uid, ...rest } = metadata;
  expect(Buffer.from(spliced ?? []).toString()).toBe(
    JSON.stringify({ metadata: { name, uid, resourceVersion: "7", ...rest } }),
  );
});

test.each(Object.entries(others))("metadata is not cut out without decoding for: %s", (_, text) => {
  expect(spliceMetadata(Buffer.from(text), 1, "{")).toBeUndefined();
});

test("a list item for metadata alone begins with its metadata", () => {
  const bytes = Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}');
  expect(bytes.subarray(itemStart(bytes)).toString()).toBe('"metadata":{"name":"p"}}');
});
