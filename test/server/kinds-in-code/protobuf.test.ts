import { createRequire } from "node:module";
import type * as protobufjs from "protobufjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  anyJson,
  boolean,
  bytes,
  type FieldDeclaration,
  float64,
  int32,
  int64,
  intOrString,
  kind,
  list,
  map,
  protoOf,
  quantity,
  startServer,
  string,
  struct,
  time,
} from "../../../src/cluster/server.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { call } from "../../helpers/api-caller.js";

const GROUP = "stable.example.com";
const TYPE = "application/vnd.kubernetes.protobuf";
const COLLECTION = `/apis/${GROUP}/v1/namespaces/default/gadgets`;

const part = struct("Part", { name: { schema: string, number: 1 }, weight: { schema: float64, number: 2 } });
const spec = struct("GadgetSpec", {
  size: { schema: int32, number: 1, description: "How large it is." },
  serial: { schema: int64, number: 2 },
  open: { schema: boolean, number: 3 },
  closed: { schema: boolean, number: 4, omitEmpty: false },
  tags: { schema: list(string), number: 5 },
  counts: { schema: list(int32), number: 6 },
  limits: { schema: map(int32), number: 7 },
  parts: { schema: list(part), number: 8 },
  byName: { schema: map(part), number: 9 },
  main: { schema: part, number: 10 },
  key: { schema: bytes, number: 11 },
  since: { schema: time, number: 12 },
  memory: { schema: quantity, number: 13 },
  port: { schema: intOrString, number: 14 },
  extra: { schema: anyJson, number: 20_000 },
});
const gadgets = kind(GROUP, "Gadget", {
  v1: struct("Gadget", {
    spec: { schema: spec, number: 2 },
    status: { schema: struct("GadgetStatus", { phase: { schema: string, number: 1 } }), number: 3, omitEmpty: false },
  }),
});
/** A kind without numbers. */
const plain = kind(GROUP, "Plain", { v1: struct("Plain", { spec: struct("PlainSpec", { size: int32 }) }) });

/** A decoder that is not ours: that of the packages which gRPC's client brings. */
function foreignTypes(): protobufjs.Root {
  const ofGrpc = createRequire(createRequire(import.meta.url).resolve("@grpc/grpc-js"));
  const { parse, Root } = createRequire(ofGrpc.resolve("@grpc/proto-loader"))("protobufjs") as typeof protobufjs;
  const root = new Root();
  const messages: Readonly<Record<string, string>> = {
    "k8s.io.apimachinery.pkg.apis.meta.v1": `message ObjectMeta { optional string name = 1; optional string namespace = 3; optional string uid = 5; }
      message ListMeta { optional string resourceVersion = 2; } message Time { optional int64 seconds = 1; }
      message WatchEvent { optional string type = 1; optional k8s.io.apimachinery.pkg.runtime.RawExtension object = 2; }`,
    "k8s.io.apimachinery.pkg.runtime": `message RawExtension { optional bytes raw = 1; }
      message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
      message Unknown { optional TypeMeta typeMeta = 1; optional bytes raw = 2; }`,
    "k8s.io.apimachinery.pkg.api.resource": "message Quantity { optional string string = 1; }",
    "k8s.io.apimachinery.pkg.util.intstr":
      "message IntOrString { optional int64 type = 1; optional int32 intVal = 2; optional string strVal = 3; }",
  };
  for (const [name, text] of Object.entries(messages)) parse(`syntax = "proto2"; package ${name}; ${text}`, root);
  parse(protoOf(gadgets), root, { keepCase: true });
  root.resolveAll();
  return root;
}

const types = foreignTypes();
const Gadget = types.lookupType("com.example.stable.v1.Gadget");
const GadgetList = types.lookupType("com.example.stable.v1.GadgetList");
const Unknown = types.lookupType("k8s.io.apimachinery.pkg.runtime.Unknown");
const WatchEvent = types.lookupType("k8s.io.apimachinery.pkg.apis.meta.v1.WatchEvent");

/** What a document holds, without its magic bytes. */
function opened(document: Uint8Array): { typeMeta: { apiVersion: string; kind: string }; raw: Uint8Array } {
  expect([...document.subarray(0, 4)]).toEqual([0x6b, 0x38, 0x73, 0]);
  return Unknown.decode(document.subarray(4)) as never;
}

function sealed(message: Uint8Array): Buffer {
  const typeMeta = { apiVersion: `${GROUP}/v1`, kind: "Gadget" };
  return Buffer.concat([Buffer.from("k8s\0"), Unknown.encode({ typeMeta, raw: message }).finish()]);
}

const plainOf = (type: protobufjs.Type, message: Uint8Array): Record<string, unknown> =>
  type.toObject(type.decode(message), { longs: Number, bytes: String });

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ port: false, resources: [gadgets, plain] });
});
afterAll(() => server.close());

async function raw(method: string, path: string, body?: Buffer | object): Promise<{ status: number; body: Buffer }> {
  const isDocument = Buffer.isBuffer(body);
  const response = await server.transport().send({
    method,
    path,
    headers: { accept: TYPE, ...(body && { "content-type": isDocument ? TYPE : "application/json" }) },
    ...(body && { body: isDocument ? body : Buffer.from(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: Buffer.concat(chunks) };
}

const FULL = {
  size: 0,
  serial: 9_007_199_254_740_991,
  open: false,
  tags: ["a", ""],
  counts: [3, 0, -1],
  limits: { a: 1, b: 0 },
  parts: [{ name: "x", weight: 1.5 }, {}],
  byName: { y: { name: "y" }, z: {} },
  main: {},
  key: Buffer.from("key").toString("base64"),
  since: "2026-01-02T03:04:05Z",
  memory: "1Gi",
  port: "http",
  extra: { any: [1, null] },
};

describe("protobuf of a kind defined in code with field numbers", () => {
  test("A-CAP-04, B-INS-04: can be decoded by a foreign library with the .proto file: object, list and watch", async () => {
    const made = await raw("POST", COLLECTION, {
      apiVersion: `${GROUP}/v1`,
      kind: "Gadget",
      metadata: { name: "full" },
      spec: FULL,
    });
    expect(made.status).toBe(201);
    const { typeMeta, raw: message } = opened(made.body);
    expect(typeMeta).toMatchObject({ apiVersion: `${GROUP}/v1`, kind: "Gadget" });
    expect(plainOf(Gadget, message)).toEqual({
      metadata: { name: "full", namespace: "default", uid: expect.any(String) },
      spec: {
        ...FULL,
        closed: false,
        since: { seconds: Date.parse(FULL.since) / 1000 },
        memory: { string: "1Gi" },
        port: { type: 1, intVal: 0, strVal: "http" },
        extra: { raw: Buffer.from('{"any":[1,null]}').toString("base64") },
      },
      status: {},
    });
    const listed = await raw("GET", COLLECTION);
    const { items } = plainOf(GadgetList, opened(listed.body).raw) as { items: unknown[] };
    expect(items).toEqual([plainOf(Gadget, message)]);
    const watched = await raw("GET", `${COLLECTION}?watch=true&timeoutSeconds=1`);
    const length = watched.body.readUInt32BE(0);
    const event = WatchEvent.decode(watched.body.subarray(4, 4 + length)) as never as {
      type: string;
      object: { raw: Uint8Array };
    };
    expect([event.type, plainOf(Gadget, opened(event.object.raw).raw)]).toEqual(["ADDED", items[0]]);
  });

  test("A-CAP-04: can come from a foreign encoder, and is the same object in JSON", async () => {
    const message = Gadget.encode(
      Gadget.fromObject({
        metadata: { name: "foreign" },
        spec: { ...FULL, since: { seconds: 1 }, memory: { string: "2" }, port: { type: 0, intVal: 8080 }, extra: {} },
      }),
    ).finish();
    const made = await raw("POST", COLLECTION, sealed(Buffer.from(message)));
    expect(made.status, made.body.toString()).toBe(201);
    const shown = await call(server.transport(), "GET", `${COLLECTION}/foreign`);
    const { extra: _, ...rest } = FULL;
    expect(shown.at("spec")).toEqual({
      ...rest,
      closed: false,
      since: "1970-01-01T00:00:01Z",
      memory: "2",
      port: 8080,
    });
  });

  test("is used in the storage when the server stores protobuf", async () => {
    const running = await startServer({ port: false, resources: [gadgets], storageMediaType: TYPE });
    try {
      const body = { apiVersion: `${GROUP}/v1`, kind: "Gadget", metadata: { name: "kept" }, spec: FULL };
      expect((await call(running.transport(), "POST", COLLECTION, body)).status).toBe(201);
      const shown = await call(running.transport(), "GET", `${COLLECTION}/kept`);
      expect(shown.at("spec")).toEqual({ ...FULL, closed: false });
    } finally {
      await running.close();
    }
  });

  test("has zero booleans and empty structs where Go writes them", async () => {
    const body = { apiVersion: `${GROUP}/v1`, kind: "Gadget", metadata: { name: "zero" }, spec: {} };
    await call(server.transport(), "POST", COLLECTION, body);
    const shown = await call(server.transport(), "GET", `${COLLECTION}/zero`);
    expect(shown.text).toMatch(/,"spec":\{"closed":false\},"status":\{\}\}\n?$/);
    const given = { ...body, metadata: { name: "given" }, spec: { open: false, closed: true, size: 0 } };
    const other = await call(server.transport(), "POST", COLLECTION, given);
    expect(other.text).toMatch(/,"spec":\{"size":0,"open":false,"closed":true\},"status":\{\}\}\n?$/);
  });
});

describe("protobuf of a kind defined in code without field numbers", () => {
  test("is refused with 406, as for custom resources", async () => {
    const refused = await call(server.transport(), "GET", `/apis/${GROUP}/v1/plains`, undefined, { accept: TYPE });
    expect(refused.status).toBe(406);
    expect(refused.text).toContain(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
    expect(() => protoOf(plain)).toThrow(new TypeError("kind Plain v1: its fields have no protobuf numbers"));
  });
});

describe("the .proto file of a kind defined in code", () => {
  test("is proto2, with imports, comments, and messages in the order of their names", () => {
    const small = kind("example.com", "Lamp", {
      v1: struct("Lamp", {
        spec: {
          schema: struct("LampSpec", {
            on: { schema: boolean, number: 1, description: "Whether it shines." },
            colours: { schema: map(string), number: 2 },
          }),
          number: 2,
        },
      }),
    });
    expect(protoOf(small)).toBe(`syntax = "proto2";

package com.example.v1;

import "k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto";

message Lamp {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  optional LampSpec spec = 2;
}

message LampList {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1;

  repeated Lamp items = 2;
}

message LampSpec {
  // Whether it shines.
  optional bool on = 1;

  map<string, string> colours = 2;
}
`);
  });
});

describe("a protobuf field number of a kind defined in code", () => {
  const kindOf = (fields: Readonly<Record<string, FieldDeclaration>>) => () =>
    kind(GROUP, "Gadget", { v1: struct("Gadget", { spec: { schema: struct("Spec", fields), number: 2 } }) });

  test.each([
    [
      "missing",
      { a: { schema: string, number: 1 }, b: string },
      "the field spec.b has no protobuf number, and others have",
    ],
    [
      "given twice",
      { a: { schema: string, number: 1 }, b: { schema: string, number: 1 } },
      "the field spec.b has the protobuf number 1, which is that of a",
    ],
    [
      "0",
      { a: { schema: string, number: 0 } },
      "the field spec.a has the protobuf number 0, which is not from 1 to 536870911",
    ],
    [
      "too large",
      { a: { schema: string, number: 536_870_912 } },
      "the field spec.a has the protobuf number 536870912, which is not from 1 to 536870911",
    ],
    [
      "reserved",
      { a: { schema: string, number: 19_000 } },
      "the field spec.a has the protobuf number 19000; protobuf reserves 19000 to 19999",
    ],
    [
      "missing in a list",
      { a: { schema: list(struct("Item", { x: string })), number: 1 } },
      "the field spec.a[].x has no protobuf number, and others have",
    ],
    [
      "of a list of lists",
      { a: { schema: list(list(string)), number: 1 } },
      "the field spec.a is a list of lists, which protobuf cannot say; put a struct between them",
    ],
  ])("is refused when it is %s", (_, fields, message) => {
    expect(kindOf(fields)).toThrow(new TypeError(`kind Gadget v1: ${message}`));
  });

  test("may not be 1 at the top, which is metadata's; a server refuses such a definition in the same words", async () => {
    const schema = struct("Gadget", { spec: { schema: string, number: 1 } });
    expect(() => kind(GROUP, "Gadget", { v1: schema })).toThrow(
      "kind Gadget v1: the field spec has the protobuf number 1, which is that of metadata",
    );
    const definition = { group: GROUP, resource: "gadgets", kind: "Gadget", namespaced: true };
    await expect(
      startServer({ port: false, resources: [{ ...definition, versions: [{ version: "v1", schema }] }] }),
    ).rejects.toThrow("version v1: the field spec has the protobuf number 1, which is that of metadata");
  });
});
