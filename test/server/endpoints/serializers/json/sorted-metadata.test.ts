import { expect, test } from "vitest";
import { partialMetadata } from "../../../../../src/server/endpoints/serializers/json/shapes.js";
import { reorderedMetadata } from "../../../../../src/server/endpoints/serializers/json/sorted-metadata.js";

const HEAD = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",';
const FORMAT = { metaVersion: "v1" } as Parameters<typeof partialMetadata>[1];

test.each([
  ["a name alone", '{"name":"a","uid":"u"}'],
  [
    "texts that look like JSON, and letters beyond ASCII",
    '{"annotations":{"a":"\\"},{\\\\","b":"\\\\","metadata":"{\\"uid\\":1}","ü":"日本"},"name":"a","uid":"u"}',
  ],
  [
    "owners, finalizers and managers",
    '{"creationTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["x/y","z"],"generation":2,' +
      '"labels":{"a":"b","name":"c"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{".":{},' +
      '"k:{\\"p\\":1}":{}}},"manager":"m","operation":"Update","subresource":"status","time":"2026-01-01T00:00:00Z"},' +
      '{"manager":"n","operation":"Apply"}],"name":"a","namespace":"b","ownerReferences":[{"apiVersion":"v1",' +
      '"blockOwnerDeletion":true,"controller":true,"kind":"K","name":"o","uid":"1"}],"uid":"u"}',
  ],
])("metadata whose keys are in byte order is rewritten in the order of the Go type: %s", (_, metadata) => {
  const text = `{"apiVersion":"example.com/v1","data":{"metadata":{"uid":"no"}},"kind":"Box","metadata":${metadata},"spec":{"a":"}"}}`;
  const moved = Buffer.from(reorderedMetadata(Buffer.from(text), 7, HEAD) ?? []).toString();
  const read = { metadata: { ...(JSON.parse(metadata) as object), resourceVersion: "7" } };
  expect(moved).toBe(Buffer.from(partialMetadata(read, FORMAT)).toString());
});

test("metadata in another order is not rewritten by this shortcut", () => {
  const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","uid":"u"}}';
  expect(reorderedMetadata(Buffer.from(text), 7, HEAD)).toBeUndefined();
});
