import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { schemaFor, structOf } from "../../../../src/api/facts/index.js";
import { encodeObjectText } from "../../../../src/machinery/wire/encode.js";
import { decodeProtobufMessage } from "../../../../src/machinery/wire/protobuf/decode-protobuf.js";
import { openEnvelope } from "../../../../src/machinery/wire/protobuf/envelope.js";
import { decodeObject } from "../../../../src/machinery/wire/strict-decode.js";
import { goldenObjects, hasGoldenObjects } from "../../../helpers/golden-objects.js";
import { parseGroupVersion } from "../../../../src/machinery/meta/gvk.js";

/** One length-delimited field. */
const field = (number: number, content: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);
};
const varint = (number: number, value: number): Buffer => Buffer.of(number << 3, value);
const message = (...fields: Uint8Array[]): Buffer => Buffer.concat(fields);

const envelope = (apiVersion: string, kind: string, raw: Uint8Array): Buffer =>
  message(Buffer.from("k8s\0"), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw));

function decode(document: Uint8Array): unknown {
  const { apiVersion, kind, raw } = openEnvelope(document);
  const schema = schemaFor({ ...parseGroupVersion(apiVersion), kind });
  if (schema === undefined) throw new Error(`no schema for ${apiVersion} ${kind}`);
  return decodeProtobufMessage(raw, schema, structOf);
}

const metadata = field(1, field(1, "x"));

const rows = [
  {
    name: "maps of text and of bytes",
    document: envelope("v1", "Secret", message(metadata, field(2, message(field(1, "k"), field(2, "v"))))),
    means: { metadata: { name: "x" }, data: { k: "dg==" } },
  },
  {
    name: "a map's value that was left out is empty",
    document: envelope("v1", "ConfigMap", message(metadata, field(2, field(1, "k")))),
    means: { metadata: { name: "x" }, data: { k: "" } },
  },
  {
    name: "an int-or-string of either kind, and a list that comes item by item",
    document: envelope(
      "v1",
      "Service",
      field(
        2,
        message(
          field(1, message(varint(3, 80), field(4, message(varint(1, 0), varint(2, 81))))),
          field(1, field(4, message(varint(1, 1), field(3, "web")))),
        ),
      ),
    ),
    means: { spec: { ports: [{ port: 80, targetPort: 81 }, { targetPort: "web" }] } },
  },
  {
    name: "an inlined struct is a message of its own",
    document: envelope("v1", "Pod", field(2, field(1, message(field(1, "v"), field(2, field(2, field(1, "Memory"))))))),
    means: { spec: { volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] } },
  },
  {
    name: "a time is seconds, an empty one none; unknown numbers are passed over",
    document: envelope(
      "v1",
      "ConfigMap",
      field(1, message(field(8, ""), field(9, message(varint(1, 60), varint(2, 0))), varint(15, 1))),
    ),
    means: { metadata: { creationTimestamp: null, deletionTimestamp: "1970-01-01T00:01:00Z" } },
  },
];

test.each(rows)("decoding protobuf: $name", ({ document, means }) => {
  expect(decode(document)).toEqual(means);
});

test("decoding protobuf refuses bytes without Kubernetes' magic prefix", () => {
  expect(() => openEnvelope(Buffer.from("{}"))).toThrow("provided data does not appear to be a protobuf message");
  expect(() => openEnvelope(Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 0x7f]))).toThrow("unexpected EOF");
});

describe("decoding protobuf refuses values that JSON cannot hold", () => {
  const seconds = (value: bigint): Buffer => {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    return Buffer.of(1 << 3, ...bytes, Number(rest));
  };
  const created = (time: Uint8Array) => envelope("v1", "ConfigMap", field(1, message(field(1, "x"), field(8, time))));

  test.each([253_402_300_800n, -62_167_219_201n, 2n ** 63n - 1n, -(2n ** 63n)])("a time of %i seconds", (at) => {
    expect(() => decode(created(seconds(at)))).toThrow("is out of range");
  });

  test("but accepts the first and the last time of four-digit years", () => {
    expect(decode(created(seconds(253_402_300_799n)))).toEqual({
      metadata: { name: "x", creationTimestamp: "9999-12-31T23:59:59Z" },
    });
    expect(decode(created(seconds(-62_167_219_200n)))).toEqual({
      metadata: { name: "x", creationTimestamp: "0000-01-01T00:00:00Z" },
    });
  });

  test("as well as endlessly nested schemas", () => {
    let schema: Buffer = Buffer.alloc(0);
    const number = Buffer.of((((28 << 3) | 2) & 0x7f) | 0x80, ((28 << 3) | 2) >> 7);
    const length = (size: number): Buffer => Buffer.of((size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14);
    const within = (tag: Uint8Array, content: Uint8Array) => Buffer.concat([tag, length(content.length), content]);
    for (let depth = 0; depth < 2000; depth++) schema = within(number, schema);
    const short = (at: number) => Buffer.of((at << 3) | 2);
    const version = within(short(4), within(short(1), schema));
    const spec = within(short(2), within(short(7), version));
    const head = envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", new Uint8Array());
    expect(() => decode(Buffer.concat([head.subarray(0, -2), within(short(2), spec)]))).toThrow("exceeded max depth");
  });
});

describe.skipIf(!hasGoldenObjects).each(goldenObjects)(
  "Kubernetes $version's published protobuf objects (skipped where k8s.io/api's testdata is not beside the project)",
  ({ release, folder, files }) => {
    const { definitions } = release;
    test.each(files.filter((file) => file.endsWith(".pb")))("decode to the same as their JSON: %s", (file) => {
      const { apiVersion, kind, raw } = openEnvelope(readFileSync(join(folder, file)));
      const schema = definitions.schemaFor({ ...parseGroupVersion(apiVersion), kind });
      // Kinds that the version does not publish any more.
      if (schema === undefined) return;
      const canonical = (value: unknown) => encodeObjectText(decodeObject(value, schema).object, schema);
      const json: unknown = JSON.parse(readFileSync(join(folder, file.replace(/pb$/, "json")), "utf8"));
      expect(
        canonical({ kind, apiVersion, ...decodeProtobufMessage(raw, schema, (name) => definitions.structOf(name)) }),
      ).toBe(canonical(json));
    });
  },
);
