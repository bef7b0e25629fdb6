import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { DEFINITIONS, install as installDefinition } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { startWebhookServer, type WebhookCall, type WebhookServer } from "../../helpers/webhook-server.js";

const MERGE = { type: "application/merge-patch+json" };

const schemaWith = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
});

interface Version {
  readonly name: string;
  readonly storage: boolean;
  readonly properties: JsonObject;
}

function definition(group: string, versions: readonly Version[], conversion?: JsonObject): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `crates.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "crates", kind: "Crate" },
      versions: versions.map(({ name, storage, properties }) => ({
        name,
        served: true,
        storage,
        schema: schemaWith(properties),
      })),
      ...(conversion && { conversion }),
    },
  };
}

let cluster: Cluster;
let api: Transport;
let hooks: WebhookServer;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  hooks = await startWebhookServer();
});
afterAll(async () => {
  await cluster.close();
  await hooks[Symbol.asyncDispose]();
});

const cratesOf = (group: string, version: string): string => `/apis/${group}/${version}/namespaces/default/crates`;

const install = (made: JsonObject): Promise<void> => installDefinition(api, made);

/** Changes the definition, and waits until the server serves `version` by it. */
async function change(made: JsonObject, isServed: () => Promise<boolean>): Promise<void> {
  const name = (made["metadata"] as JsonObject)["name"] as string;
  const changed = await call(api, "PATCH", `${DEFINITIONS}/${name}`, { spec: made["spec"] }, MERGE);
  expect(changed.status).toBe(200);
  await eventually(async () => expect(await isServed()).toBe(true));
}

/** Creates a crate when the kind is there: an established definition takes a moment to be served. */
async function create(path: string, name: string, spec: JsonObject): Promise<Answer> {
  let created = await call(api, "POST", path, { metadata: { name }, spec });
  for (; created.status === 404; created = await call(api, "POST", path, { metadata: { name }, spec })) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return created;
}

const text = { type: "string" };

describe("a custom object that was stored by an earlier schema", () => {
  test("is read without removed fields, and with new defaults", async () => {
    const group = "schema.example.com";
    const crates = cratesOf(group, "v1");
    await install(definition(group, [{ name: "v1", storage: true, properties: { a: text, b: text } }]));
    const created = await create(crates, "one", { a: "1", b: "2" });
    await change(
      definition(group, [{ name: "v1", storage: true, properties: { a: text, c: { ...text, default: "new" } } }]),
      async () => (await call(api, "GET", `${crates}/one`)).at("spec.c") === "new",
    );
    const found = await call(api, "GET", `${crates}/one`);
    expect(found.at("spec")).toEqual({ a: "1", c: "new" });
    expect(found.at("metadata.resourceVersion")).toBe(created.at("metadata.resourceVersion"));
    expect((await call(api, "GET", crates)).at("items.0.spec")).toEqual({ a: "1", c: "new" });
  });

  test("is rewritten by an update without changes", async () => {
    const group = "rewrite.example.com";
    const crates = cratesOf(group, "v1");
    await install(definition(group, [{ name: "v1", storage: true, properties: { a: text } }]));
    const created = await create(crates, "one", { a: "1" });
    const unchanged = await call(api, "PATCH", `${crates}/one`, {}, MERGE);
    expect(unchanged.at("metadata.resourceVersion")).toBe(created.at("metadata.resourceVersion"));
    await change(
      definition(group, [{ name: "v1", storage: true, properties: { a: text, c: { ...text, default: "new" } } }]),
      async () => (await call(api, "GET", `${crates}/one`)).at("spec.c") === "new",
    );
    const written = await call(api, "PATCH", `${crates}/one`, {}, MERGE);
    expect(written.at("metadata.resourceVersion")).not.toBe(created.at("metadata.resourceVersion"));
  });
});

const V1_STORED = [
  { name: "v1", storage: true, properties: { a: { ...text, default: "of v1" } } },
  { name: "v2", storage: false, properties: { a: text, b: { ...text, default: "of v2" } } },
];
const V2_STORED = V1_STORED.map((version) => ({ ...version, storage: !version.storage }));

describe("a custom object that is stored in another version than the storage version", () => {
  test("gets its version changed when there is no webhook, with the defaults of its stored version", async () => {
    const group = "none.example.com";
    await install(definition(group, V1_STORED));
    await create(cratesOf(group, "v1"), "one", {});
    await change(definition(group, V2_STORED), async () => {
      const stored = (await call(api, "GET", `${DEFINITIONS}/crates.${group}`)).at("status.storedVersions");
      await create(cratesOf(group, "v1"), "two", {});
      return JSON.stringify(stored) === '["v1","v2"]';
    });
    const found = await call(api, "GET", `${cratesOf(group, "v2")}/one`);
    expect([found.at("apiVersion"), found.at("spec")]).toEqual([`${group}/v2`, { a: "of v1" }]);
  });

  test("is converted by the webhook, all objects of a list in one call", async () => {
    const group = "hook.example.com";
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: hooks.on("/convert", convert), conversionReviewVersions: ["v1"] },
    };
    await install(definition(group, V1_STORED, conversion));
    for (const name of ["one", "two", "three"]) await create(cratesOf(group, "v1"), name, { a: name });
    await change(definition(group, V2_STORED, conversion), async () => isStoredInV2(group));
    hooks.calls.length = 0;
    const listed = await call(api, "GET", cratesOf(group, "v2"));
    const items = listed.at("items") as readonly JsonObject[];
    expect(items.map(({ spec }) => (spec as JsonObject)["b"])).toEqual(["from one", "from three", "from two"]);
    expect(hooks.calls.map(({ request }) => (request["objects"] as readonly unknown[]).length)).toEqual([3]);
  });

  test("is converted for a watch", async () => {
    const group = "watched.example.com";
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: hooks.on("/convert", convert), conversionReviewVersions: ["v1"] },
    };
    await install(definition(group, V1_STORED, conversion));
    await create(cratesOf(group, "v1"), "one", { a: "1" });
    await change(definition(group, V2_STORED, conversion), async () => isStoredInV2(group));
    const { text: events } = await call(
      api,
      "GET",
      `${cratesOf(group, "v2")}?watch=1&resourceVersion=0&timeoutSeconds=1`,
    );
    expect(
      events
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { object: JsonObject }).object["spec"]),
    ).toEqual([{ a: "1", b: "from 1" }]);
  });

  test("is rewritten in the storage version by an update without changes, and needs no conversion afterwards", async () => {
    const group = "hook.example.com";
    const crates = cratesOf(group, "v2");
    const before = await call(api, "GET", `${crates}/one`);
    const written = await call(api, "PATCH", `${crates}/one`, {}, MERGE);
    expect(written.at("metadata.resourceVersion")).not.toBe(before.at("metadata.resourceVersion"));
    hooks.calls.length = 0;
    expect((await call(api, "GET", `${crates}/one`)).at("spec.b")).toBe("from one");
    expect(hooks.calls).toEqual([]);
  });
});

async function isStoredInV2(group: string): Promise<boolean> {
  const created = await call(api, "POST", `${cratesOf(group, "v2")}?dryRun=All`, {
    metadata: { name: "probe", resourceVersion: "" },
    spec: {},
  });
  return created.status === 201 && created.at("spec.b") === "of v2";
}

/** A crate of v2 has in `b` where its `a` of v1 came from. */
function convert({ request }: WebhookCall): JsonObject {
  const wanted = request["desiredAPIVersion"] as string;
  const convertedObjects = (request["objects"] as readonly JsonObject[]).map((object) => {
    const { a } = object["spec"] as JsonObject;
    const spec = wanted.endsWith("/v2") ? { a: a ?? "", b: `from ${a as string}` } : { a: a ?? "" };
    return { ...object, apiVersion: wanted, spec };
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid: request["uid"] ?? "", convertedObjects, result: { status: "Success" } },
  };
}

describe("a custom object sent in another version than the storage version", () => {
  const requiring = (field: string): JsonObject => ({
    type: "object",
    required: [field],
    properties: { [field]: { type: "string", maxLength: 5 } },
  });
  const specs = (conversion?: JsonObject, group = ""): JsonObject => {
    const versions = [
      {
        name: "v1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: requiring("a") } } },
      },
      {
        name: "v2",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: requiring("b") } } },
      },
    ];
    const made = definition(group, [], conversion);
    return { ...made, spec: { ...(made["spec"] as JsonObject), versions } };
  };
  const swap = ({ request }: WebhookCall): JsonObject => {
    const wanted = request["desiredAPIVersion"] as string;
    const convertedObjects = (request["objects"] as readonly JsonObject[]).map((object) => {
      const { a, b } = object["spec"] as { a: string; b: string };
      return { ...object, apiVersion: wanted, spec: wanted.endsWith("/v2") ? { b: a } : { a: b } };
    });
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: { uid: request["uid"] ?? "", convertedObjects, result: { status: "Success" } },
    };
  };

  test("is validated by the sent version's schema, and stored by the storage version's, without a webhook", async () => {
    const group = "named.example.com";
    await install(specs(undefined, group));
    expect((await create(cratesOf(group, "v1"), "one", { a: "1" })).status).toBe(201);
    expect((await call(api, "GET", `${cratesOf(group, "v2")}/one`)).at("spec")).toEqual({});
    expect((await create(cratesOf(group, "v1"), "two", { b: "1" })).at("message")).toBe(
      'Crate.named.example.com "two" is invalid: spec.a: Required value',
    );
  });

  test("is validated by the sent version's schema also with a webhook", async () => {
    const group = "swapped.example.com";
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: hooks.on("/swap", swap), conversionReviewVersions: ["v1"] },
    };
    await install(specs(conversion, group));
    const crates = cratesOf(group, "v1");
    expect((await create(crates, "one", { a: "1" })).at("spec")).toEqual({ a: "1" });
    expect((await call(api, "GET", `${cratesOf(group, "v2")}/one`)).at("spec")).toEqual({ b: "1" });
    expect((await create(crates, "two", { a: "too long" })).at("message")).toBe(
      'Crate.swapped.example.com "two" is invalid: spec.a: Too long: may not be more than 5 bytes',
    );
    expect((await call(api, "PATCH", `${crates}/one`, { spec: { a: "2" } }, MERGE)).at("spec")).toEqual({ a: "2" });
    expect((await call(api, "PATCH", `${crates}/one`, { spec: { a: "too long" } }, MERGE)).at("message")).toBe(
      'Crate.swapped.example.com "one" is invalid: spec.a: Too long: may not be more than 5 bytes',
    );
  });
});
