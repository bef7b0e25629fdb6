import { Worker } from "node:worker_threads";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { inShortTurns } from "../../helpers/short-turns.js";
import {
  type AnswerCall,
  certificates,
  startWebhookServer,
  type WebhookCall,
  type WebhookServer,
} from "../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: Cluster;
let api: Transport;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, onError: (error) => faults.push(error) });
  api = cluster.transport();
});
afterAll(async () => {
  expect(faults).toEqual([]);
  await cluster.close();
});

let groups = 0;
const newGroup = (): string => `g${++groups}.example.com`;

/** What `work` answers; another request is answered beside it. */
async function beside<T>(work: () => Promise<T>): Promise<T> {
  const [result, other] = await Promise.all([work(), call(api, "GET", MAPS)]);
  expect(other.status).toBe(200);
  return result;
}

/** What `work` answers, which can be done again: another request is answered beside it, and it does not hold the event loop. */
const watched = <T>(work: () => Promise<T>): Promise<T> => inShortTurns(() => beside(work));

/** Says what the process holds after a collection. */
function heldBytes(): () => number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The flag is the process's: compiled code of other tests would be refused by it.
  setFlagsFromString("--no-expose-gc");
  return () => {
    collect();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
}

const string = { type: "string" };
const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });

/** As long as descriptions are. */
const described = (index: number): JsonObject => ({
  description: `What the field of number ${index} is for, in two sentences. It can be left out, and a default that fits most uses takes its place.`,
});

/** Schemas that hold each other, `levels` deep; the innermost is `inner`. */
function nested(levels: number, inner: JsonObject): JsonObject {
  let schema = inner;
  for (let level = 0; level < levels; level++) schema = object({ a: schema });
  return schema;
}

/** Properties whose JSON is about `bytes` long. */
function many(bytes: number, property: (index: number) => JsonObject): JsonObject {
  const properties: Record<string, JsonObject> = {};
  const one = JSON.stringify(property(0)).length + 10;
  for (let index = 0; index * one < bytes; index++) properties[`p${index}`] = property(index);
  return properties;
}

describe("an invalid CustomResourceDefinition", () => {
  const AT = "spec.validation.openAPIV3Schema.properties[spec]";
  const MB = 1_000_000;
  const rows: readonly (readonly [what: string, properties: JsonObject, message: string])[] = [
    [
      "a field without a type",
      { a: {} },
      `${AT}.properties[a].type: Required value: must not be empty for specified object fields`,
    ],
    [
      "40 levels, and no type in the last",
      { a: nested(39, object({ z: {} })) },
      `${AT}${".properties[a]".repeat(40)}.properties[z].type: Required value: must not be empty for specified object fields`,
    ],
    [
      "a default of another type",
      { a: { ...string, default: 1 } },
      `${AT}.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
    ],
    [
      "a default with a field that the schema does not know",
      { a: { ...object({ b: string }), default: { c: 1 } } },
      `${AT}.properties[a].default: Invalid value: {"c":1}: must not have unknown fields`,
    ],
    [
      "a pattern that is none",
      { a: { ...string, pattern: "(" } },
      `${AT}.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ],
    ["1 MB of fields without types", many(MB, described), `${AT}.properties[p0].type: Required value`],
    [
      "1 MB of defaults of another type",
      many(MB, (index) => ({ ...string, ...described(index), default: index })),
      `${AT}.properties[p0].default: Invalid value: "integer":  in body must be of type string: "integer"`,
    ],
    [
      "1 MB of patterns that are none",
      many(MB, (index) => ({ ...string, ...described(index), pattern: `${index}(` })),
      `${AT}.properties[p0].pattern: Invalid value: "0(": must be a valid regular expression`,
    ],
    ["references", { a: { $ref: "#/definitions/a" } }, `${AT}.properties[a].$ref: Forbidden: $ref is not supported`],
  ];
  test.each(rows)(
    "with %s is refused in Kubernetes' words; nothing is stored, and other requests are answered",
    async (_, properties, message) => {
      const group = newGroup();
      const body = JSON.stringify(boxDefinition(group, [versionOf("v1", properties)]));
      const refused = await watched(() => call(api, "POST", DEFINITIONS, body));
      expect(refused.status).toBe(422);
      expect(refused.at("message")).toContain(message);
      expect((await call(api, "GET", `${DEFINITIONS}/boxes.${group}`)).status).toBe(404);
      expect((await call(api, "GET", boxesOf(group))).status).toBe(404);
    },
  );

  test("with a CEL rule of nested macros over unlimited lists costs too much", async () => {
    const rule = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))";
    const items = { type: "array", items: { type: "integer" }, "x-kubernetes-validations": [{ rule }] };
    const body = JSON.stringify(boxDefinition(newGroup(), [versionOf("v1", { a: items })]));
    const refused = await watched(() => call(api, "POST", DEFINITIONS, body));
    expect([refused.status, refused.at("message")]).toEqual([
      422,
      expect.stringContaining(
        `${AT}.properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
      ),
    ]);
  });

  test("longer than a request body may be, or nested deeper than JSON may be, is refused", async () => {
    const long = JSON.stringify(
      boxDefinition(newGroup(), [
        versionOf(
          "v1",
          many(3.5 * MB, () => string),
        ),
      ]),
    );
    expect((await watched(() => call(api, "POST", DEFINITIONS, long))).status).toBe(413);
    const deep = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":${'{"a":'.repeat(20_000)}1${"}".repeat(20_001)}`;
    const refused = await watched(() => call(api, "POST", DEFINITIONS, deep));
    expect([refused.status, refused.at("message")]).toEqual([400, expect.stringContaining("exceeded max depth")]);
  });

  test("as an update leaves the stored definition unchanged", async () => {
    const group = newGroup();
    await install(api, boxDefinition(group, [versionOf("v1", { a: string })]));
    const found = await call(api, "GET", `${DEFINITIONS}/boxes.${group}`);
    const worse = found.text.replace('"a":{"type":"string"}', '"a":{"type":"string","default":7}');
    expect((await call(api, "PUT", `${DEFINITIONS}/boxes.${group}`, worse)).status).toBe(422);
    expect((await call(api, "GET", `${DEFINITIONS}/boxes.${group}`)).text).toBe(found.text);
    expect((await call(api, "POST", boxesOf(group), { metadata: { name: "a" }, spec: { a: "x" } })).status).toBe(201);
  });
});

describe("a large CustomResourceDefinition", () => {
  const MB = 1_000_000;
  const held = (levels: number, value: JsonValue): JsonObject =>
    levels === 1 ? { a: value } : { a: held(levels - 1, value) };
  const path = (levels: number): string => `spec${".a".repeat(levels)}`;
  const rows: readonly (readonly [
    what: string,
    properties: JsonObject,
    good: JsonObject,
    bad: JsonObject,
    message: string,
  ])[] = [
    [
      "40 levels deep",
      { a: nested(40, string) },
      held(41, "x"),
      held(41, 1),
      `${path(41)}: Invalid value: "integer": ${path(41)} in body must be of type string: "integer"`,
    ],
    [
      "400 levels deep",
      { a: nested(400, string) },
      held(401, "x"),
      held(401, 1),
      `${path(401)}: Invalid value: "integer": ${path(401)} in body must be of type string: "integer"`,
    ],
    [
      "1 MB of fields",
      many(MB, (index) => ({ ...string, ...described(index) })),
      { p1: "x", p999: "x" },
      { p1: "x", p999: 1 },
      `spec.p999: Invalid value: "integer": spec.p999 in body must be of type string: "integer"`,
    ],
    [
      "1 MB of fields, some hundreds with defaults and patterns",
      many(MB, (index) => ({
        ...string,
        ...described(index),
        ...(index < 300 && { pattern: `^x${index}$`, default: `x${index}` }),
      })),
      { p1: "x1" },
      { p1: "x" },
      `spec.p1: Invalid value: "x": spec.p1 in body should match '^x1$'`,
    ],
    [
      "500 rules",
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [
          `p${index}`,
          { ...string, maxLength: 10, "x-kubernetes-validations": [{ rule: `self.size() < ${index} || self == 'x'` }] },
        ]),
      ),
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, "x"])),
      { p1: "xy" },
      "spec.p1: Invalid value: \"xy\": failed rule: self.size() < 1 || self == 'x'",
    ],
    [
      "an enum of 1 MB",
      { a: { ...string, enum: Array.from({ length: 50_000 }, (_, index) => `value ${index} of it`) } },
      { a: "value 49999 of it" },
      { a: 1 },
      `spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"`,
    ],
  ];
  test.each(rows)(
    "of %s is established, and its objects are validated, while other requests are answered",
    async (_, properties, good, bad, message) => {
      const [ok, wrong] = [good, bad].map((spec, index) => JSON.stringify({ metadata: { name: `n${index}` }, spec }));
      await inShortTurns(async () => {
        const group = newGroup();
        const body = JSON.stringify(boxDefinition(group, [versionOf("v1", properties)]));
        await beside(() => install(api, body));
        expect((await beside(() => call(api, "POST", boxesOf(group), ok))).status).toBe(201);
        const refused = await beside(() => call(api, "POST", boxesOf(group), wrong));
        expect(refused.status).toBe(422);
        expect(refused.at("message")).toContain(message);
        expect((await beside(() => call(api, "GET", boxesOf(group)))).at("items.1")).toBeUndefined();
      });
    },
  );

  test("with 300 KB of fields is handled while other requests are answered", async () => {
    const fields = many(300_000, (index) => ({ ...string, ...described(index) }));
    await inShortTurns(async () => {
      const group = newGroup();
      await install(api, boxDefinition(group, [versionOf("v1", fields)]));
      await beside(() => call(api, "DELETE", `${DEFINITIONS}/boxes.${group}`));
      await eventually(async () => {
        expect((await call(api, "GET", boxesOf(group))).status).toBe(404);
      });
    });
  });

  test("with a CEL rule of nested macros over a large list ends the rule at its cost limit", async () => {
    const group = newGroup();
    const rule = "self.all(a, self.all(b, a + b >= 0))";
    const items = { type: "array", maxItems: 1000, items: { type: "integer" }, "x-kubernetes-validations": [{ rule }] };
    await install(api, boxDefinition(group, [versionOf("v1", { a: items })]));
    const body = (length: number): string =>
      JSON.stringify({ metadata: { name: `n${length}` }, spec: { a: Array.from({ length }, (_, index) => index) } });
    expect((await call(api, "POST", boxesOf(group), body(100))).status).toBe(201);
    const refused = await watched(() => call(api, "POST", boxesOf(group), body(1000)));
    expect([refused.status, refused.at("message")]).toEqual([
      422,
      expect.stringContaining(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, a + b >= 0))",
      ),
    ]);
  });

  test("with a pattern that backtracks endlessly in other engines is matched in linear time", async () => {
    const group = newGroup();
    await install(api, boxDefinition(group, [versionOf("v1", { a: { ...string, pattern: "^(a+)+$" } })]));
    const body = JSON.stringify({ metadata: { name: "a" }, spec: { a: `${"a".repeat(10_000)}!` } });
    const refused = await watched(() => call(api, "POST", boxesOf(group), body));
    expect([refused.status, refused.at("message")]).toEqual([422, expect.stringContaining("should match '^(a+)+$'")]);
  });
});

describe("a conversion webhook that answers wrongly or not at all", () => {
  let hooks: WebhookServer;
  let expired: WebhookServer;
  let elsewhere: WebhookServer;
  let thread: Worker;
  let hostileUrl: string;
  let hostileBundle: string;

  beforeAll(async () => {
    hooks = await startWebhookServer();
    expired = await startWebhookServer({ notAfter: Date.UTC(2020, 0, 1) });
    elsewhere = await startWebhookServer({ names: ["example.com"] });
    const { authority, leaf } = certificates(["127.0.0.1"]);
    hostileBundle = Buffer.from(authority.certificate).toString("base64");
    const workerData = { key: leaf.key, cert: leaf.certificate };
    thread = new Worker(new URL("../../helpers/hostile-webhook.mjs", import.meta.url), { workerData });
    hostileUrl = `https://127.0.0.1:${String(await new Promise((resolve) => thread.once("message", resolve)))}`;
  });
  afterAll(async () => {
    await thread.terminate();
    for (const one of [hooks, expired, elsewhere]) await one[Symbol.asyncDispose]();
  });

  const hostile = (path: string): JsonObject => ({ url: `${hostileUrl}/${path}`, caBundle: hostileBundle });

  const reviewed = ({ body, request }: WebhookCall, convertedObjects: unknown): object => ({
    kind: "ConversionReview",
    apiVersion: (JSON.parse(body) as { apiVersion: string }).apiVersion,
    response: { uid: request["uid"], result: { status: "Success" }, convertedObjects },
  });
  const converted = ({ request }: WebhookCall): JsonObject[] =>
    (request["objects"] as JsonObject[]).map((one) => ({ ...one, apiVersion: request["desiredAPIVersion"] as string }));
  /** Converts all as it should, then makes something else of each. */
  const turned =
    (change: (object: JsonObject) => unknown): AnswerCall =>
    (given) =>
      reviewed(given, converted(given).map(change));
  const metadata = (more: object) =>
    turned((object) => ({ ...object, metadata: { ...(object["metadata"] as object), ...more } }));

  /** A definition of two versions with an object "a" of v1, which is stored; v2 is converted by the webhook. */
  async function converting(clientConfig: JsonObject): Promise<string> {
    const group = newGroup();
    const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
    const versions = [versionOf("v1", { a: string }), versionOf("v2", { a: string }, { storage: false })];
    await install(api, boxDefinition(group, versions, { conversion }));
    expect((await call(api, "POST", boxesOf(group), { metadata: { name: "a" }, spec: { a: "x" } })).status).toBe(201);
    return group;
  }

  const plain = (answer: Answer): string =>
    (answer.at("message") as string)
      .replaceAll(/https:\/\/127\.0\.0\.1:\d+\/\w+/g, "URL")
      .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS")
      .replaceAll(/g\d+\.example\.com/g, "GROUP");

  const OF = "conversion webhook for GROUP/v1, Kind=Box";
  const POST = `${OF} failed: Post "URL?timeout=30s": `;
  const READ = `${OF} failed: unexpected error when reading response body. Please retry. Original error: the answer is longer than`;
  let target = 0;
  const answering = (answer: AnswerCall) => () => hooks.on(`/c${++target}x`, answer);
  const rows: readonly (readonly [what: string, target: () => JsonObject, message: string])[] = [
    [
      "changes names",
      answering(metadata({ name: "b" })),
      `${OF} returned invalid object: must have the same name: a != b`,
    ],
    ["changes uids", answering(metadata({ uid: "b" })), `${OF} returned invalid object: must have the same UID: `],
    ["drops objects", answering((given) => reviewed(given, [])), `${OF} returned 0 objects, expected 1`],
    [
      "answers more objects",
      answering((given) => reviewed(given, [...converted(given), ...converted(given)])),
      `${OF} returned 2 objects, expected 1`,
    ],
    [
      "answers the wrong version",
      answering(turned((object) => ({ ...object, apiVersion: "other.example.com/v2" }))),
      `${OF} returned invalid object at index 0: invalid groupVersion (expected GROUP/v2, received other.example.com/v2)`,
    ],
    [
      "answers the wrong kind",
      answering(turned((object) => ({ ...object, kind: "Tab" }))),
      `${OF} returned invalid object at index 0: invalid kind (expected Box, received Tab)`,
    ],
    [
      "answers null",
      answering(turned(() => null)),
      `${OF} returned invalid object at index 0: unexpected end of JSON input`,
    ],
    [
      "fails",
      answering(({ body, request }) => ({
        ...(JSON.parse(body) as object),
        response: { uid: request["uid"], result: { status: "Failed", message: "no such box" } },
      })),
      `${OF} failed: no such box`,
    ],
    [
      "has a certificate of another authority",
      () => ({ ...hooks.on("/other", () => undefined), caBundle: elsewhere.caBundle }),
      `${POST}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ],
    [
      "has a certificate that has expired",
      () => expired.on("/expired", () => undefined),
      `${POST}tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time `,
    ],
    [
      "has a certificate for another name",
      () => elsewhere.on("/elsewhere", () => undefined),
      `${POST}tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    ],
    [
      "is not there",
      () => ({ ...hooks.on("/gone", () => undefined), url: "https://127.0.0.1:1/gone" }),
      `${POST}dial tcp ADDRESS: connect: connection refused`,
    ],
    ["answers without end", () => hostile("endless"), READ],
    ["answers 100 MB", () => hostile("long"), READ],
    ["answers 100 MB with an error", () => hostile("failing"), READ],
    ["has a small answer that unpacks to 100 MB", () => hostile("bomb"), READ],
    [
      "answers 3 MB of nested lists",
      () => hostile("nested"),
      `${OF} failed: couldn't get version/kind; json parse error: exceeded max depth`,
    ],
    ["answers 3 MB of short keys", () => hostile("keys"), `${OF} failed: `],
  ];
  test.each(rows)("that %s fails the request in Kubernetes' words, and no other", async (_, where, message) => {
    const group = await converting(where());
    const asked = await watched(() => call(api, "GET", `${boxesOf(group, "v2")}/a`));
    expect([asked.status, asked.at("reason") ?? ""]).toEqual([500, ""]);
    expect(plain(asked)).toContain(message);
    expect((await call(api, "GET", `${boxesOf(group)}/a`)).at("spec.a")).toBe("x");
    const written = await watched(() =>
      call(api, "POST", boxesOf(group, "v2"), { metadata: { name: "new" }, spec: { a: "y" } }),
    );
    expect(written.status).toBe(500);
    expect((await call(api, "GET", `${boxesOf(group)}/new`)).status).toBe(404);
    const listed = await call(api, "GET", boxesOf(group, "v2"));
    expect(listed.status).toBe(500);
  });

  test("that never answers delays its own request to the end, and no other", async () => {
    const group = await converting(hostile("silent"));
    const asked = watched(() => call(api, "GET", `${boxesOf(group, "v2")}/a?timeout=1s`));
    for (const name of ["x", "y"]) {
      expect((await call(api, "POST", boxesOf(group), { metadata: { name }, spec: { a: "x" } })).status).toBe(201);
    }
    expect((await asked).status).toBe(504);
  });

  test("is called again once it works", async () => {
    let change = (object: JsonObject): JsonObject => ({ ...object, kind: "Tab" });
    const group = await converting(answering((given) => reviewed(given, converted(given).map(change)))());
    expect((await call(api, "GET", `${boxesOf(group, "v2")}/a`)).status).toBe(500);
    change = (object) => object;
    expect((await call(api, "GET", `${boxesOf(group, "v2")}/a`)).at("apiVersion")).toBe(`${group}/v2`);
  });

  test("gives back the memory that its answers of 100 MB took", async () => {
    const held = heldBytes();
    const group = await converting(hostile("long"));
    const ask = () => call(api, "GET", `${boxesOf(group, "v2")}/a`);
    await ask();
    const before = held();
    for (let round = 0; round < 5; round++) expect((await ask()).status).toBe(500);
    await eventually(async () => expect(held() - before).toBeLessThan(8e6));
  });
});

test("the memory of refused definitions of 1 MB is given back", async () => {
  const properties = many(1_000_000, (index) => ({ ...described(index), default: 1 }));
  const refused = async (): Promise<void> => {
    const body = boxDefinition(newGroup(), [versionOf("v1", properties)]);
    expect((await call(api, "POST", DEFINITIONS, body)).status).toBe(422);
  };
  const held = heldBytes();
  await refused();
  const before = held();
  for (let round = 0; round < 5; round++) await refused();
  await eventually(async () => expect(held() - before).toBeLessThan(8e6));
});
