import { describe, expect, test } from "vitest";
import {
  indentedParts,
  jsonParts,
  type ListBody,
  yamlParts,
} from "../../../../../src/server/endpoints/serializers/json/list-body.js";
import { decodeJson } from "../../../../../src/machinery/codec/json-decoder.js";
import { encodeJson } from "../../../../../src/machinery/codec/json-encoder.js";
import { emitYaml } from "../../../../../src/machinery/yaml/emit.js";

const LONG = `${"a sentence that is folded ".repeat(8)}at its end`;

const MEMBERS = [
  '{"metadata":{"name":"plain"}}',
  `{"metadata":{"name":"texts"},"data":{"block":"one\\n  two\\n\\nthree\\n","folded":"${LONG}","empty":"","like":"items: []"}}`,
  '{"metadata":{"name":"values"},"list":[],"nested":[[1,[2]],{"a":[]}],"map":{},"n":9007199254740993,"nothing":null}',
];

const ENVELOPES: Readonly<Record<"items" | "rows", ListBody["envelope"]>> = {
  items: { kind: "ThingList", apiVersion: "v1", metadata: { resourceVersion: "7", continue: "items: []" } },
  rows: {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: [{ name: "Name", description: "rows: []\nitems: []", priority: 0 }],
  },
};

/** Each member in two parts, as the endpoints give them. */
const split = (text: string) => [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))];

function text(field: "items" | "rows", count: number, write: (body: ListBody) => Iterable<Uint8Array>): string {
  const members = MEMBERS.slice(0, count).map(split);
  return Buffer.concat([...write({ envelope: ENVELOPES[field], field, members })]).toString("utf8");
}

describe.each(["items", "rows"] as const)(
  "a list of %s written member by member is the list written whole",
  (field) => {
    test.each([0, 1, 2, 3])("with %i members", (count) => {
      const compact = text(field, count, jsonParts);
      const { value } = decodeJson(Buffer.from(compact));
      const head = encodeJson(ENVELOPES[field]).slice(0, -1);
      expect(compact).toBe(`${head},"${field}":[${MEMBERS.slice(0, count).join(",")}]}\n`);
      expect(text(field, count, indentedParts)).toBe(encodeJson(value, { indent: 2 }));
      expect(text(field, count, (body) => yamlParts(body, emitYaml))).toBe(emitYaml(value));
    });
  },
);
