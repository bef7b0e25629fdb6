import { describe, expect, test } from "vitest";
import type { ResponseFormat } from "../../../src/server/endpoints/negotiation/response-format.js";
import { type ListBody, listParts } from "../../../src/server/endpoints/representation/list-body.js";
import { decodeJson } from "../../../src/machinery/codec/json-decoder.js";
import { encodeJson } from "../../../src/machinery/codec/json-encoder.js";
import { emitYaml } from "../../../src/machinery/yaml/emit.js";

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

const format = (mediaType: ResponseFormat["mediaType"], pretty: boolean): ResponseFormat => ({
  mediaType,
  shape: "object",
  metaVersion: "v1",
  pretty,
});

/** Each member in two parts, as the endpoints give them. */
const split = (text: string) => [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))];

async function text(field: "items" | "rows", count: number, as: ResponseFormat): Promise<string> {
  const members = MEMBERS.slice(0, count).map(split);
  const parts = await listParts({ envelope: ENVELOPES[field], field, members }, as);
  return Buffer.concat([...parts]).toString("utf8");
}

describe.each(["items", "rows"] as const)(
  "a list of %s written member by member is the list written whole",
  (field) => {
    test.each([0, 1, 2, 3])("with %i members", async (count) => {
      const compact = await text(field, count, format("application/json", false));
      const { value } = decodeJson(Buffer.from(compact));
      const head = encodeJson(ENVELOPES[field]).slice(0, -1);
      expect(compact).toBe(`${head},"${field}":[${MEMBERS.slice(0, count).join(",")}]}\n`);
      expect(await text(field, count, format("application/json", true))).toBe(encodeJson(value, { indent: 2 }));
      expect(await text(field, count, format("application/yaml", false))).toBe(emitYaml(value));
    });
  },
);
