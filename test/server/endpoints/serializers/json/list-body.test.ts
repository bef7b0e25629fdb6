import { describe, expect, test } from "vitest";
import {
  indentedParts,
  jsonParts,
  type ListBody,
  yamlParts,
} from "../../../../../src/server/endpoints/serializers/json/list-body.js";
import { decodeJson } from "../../../../../src/machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../../../src/machinery/wire/json/json-encoder.js";
import { emitYaml, emitYamlSteps } from "../../../../../src/machinery/text/yaml/emit.js";

const LONG = `${"a sentence that is folded ".repeat(8)}at its end`;

const MEMBERS = [
  '{"metadata":{"name":"plain"}}',
  `{"metadata":{"name":"texts"},"data":{"block":"one\\n  two\\n\\nthree\\n","folded":"${LONG}","empty":"","like":"items: []"}}`,
  '{"metadata":{"name":"values"},"list":[],"nested":[[1,[2]],{"a":[]}],"map":{},"n":9007199254740993,"nothing":null}',
];

type Envelope = Pick<ListBody, "envelope" | "field">;

const ENVELOPES: readonly (readonly [string, Envelope])[] = [
  [
    "items",
    {
      field: "items",
      envelope: {
        before: { kind: "ThingList", apiVersion: "v1", metadata: { resourceVersion: "7", continue: "items: []" } },
      },
    },
  ],
  [
    "rows",
    {
      field: "rows",
      envelope: {
        before: {
          kind: "Table",
          apiVersion: "meta.k8s.io/v1",
          metadata: {},
          columnDefinitions: [{ name: "Name", description: "rows: []\nitems: []", priority: 0 }],
        },
      },
    },
  ],
  [
    "items with fields behind them",
    {
      field: "items",
      envelope: {
        before: { apiVersion: "v1" },
        after: { kind: "ThingList", metadata: { continue: "", resourceVersion: "7" } },
      },
    },
  ],
];

/** Each member in two parts, as the endpoints give them. */
const split = (text: string) => [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))];

function text(envelope: Envelope, count: number, write: (body: ListBody) => Iterable<Uint8Array>): string {
  const members = MEMBERS.slice(0, count).map(split);
  return Buffer.concat([...write({ ...envelope, members })]).toString("utf8");
}

describe.each(ENVELOPES)("encoding a list of %s item by item gives the same bytes as encoding it whole", (_, list) => {
  test.each([0, 1, 2, 3])("for %i items", (count) => {
    const compact = text(list, count, jsonParts);
    const { value } = decodeJson(Buffer.from(compact));
    const { before, after } = list.envelope;
    const head = encodeJson(before).slice(0, -1);
    const tail = after === undefined ? "}" : `,${encodeJson(after).slice(1)}`;
    expect(compact).toBe(`${head},"${list.field}":[${MEMBERS.slice(0, count).join(",")}]${tail}\n`);
    expect(text(list, count, indentedParts)).toBe(encodeJson(value, { indent: 2 }));
    expect(text(list, count, (body) => yamlParts(body, emitYamlSteps))).toBe(emitYaml(value));
  });
});
