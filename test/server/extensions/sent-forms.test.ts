import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, install } from "../../helpers/custom-definitions.js";
import { type AnswerCall, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

const GROUP = "forms.example.com";
const MERGE = { type: "application/merge-patch+json" };
const string = { type: "string" };

/** v1, which is stored, has spec.width and status.seen; v2 has spec.size.width and status.at, and needs both where it has any. */
const version = (name: string, spec: JsonObject, status: JsonObject, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
});
const objectOf = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required: [...required] }),
});

/** Fills in what is missing, as a conversion of Go's types does. */
const convert: AnswerCall = ({ body, request }) => ({
  ...(JSON.parse(body) as object),
  response: {
    uid: request["uid"],
    result: { status: "Success" },
    convertedObjects: (request["objects"] as JsonObject[]).map((one) =>
      converted(one, request["desiredAPIVersion"] as string),
    ),
  },
});

function converted(one: JsonObject, apiVersion: string): JsonObject {
  const { spec = {}, status } = one as { spec?: JsonObject; status?: JsonObject };
  if (apiVersion.endsWith("/v1")) {
    const width = (spec["size"] as JsonObject | undefined)?.["width"] ?? 0;
    return { ...one, apiVersion, spec: { width }, ...(status && { status: { seen: status["at"] ?? "" } }) };
  }
  const size = { width: spec["width"] ?? 0 };
  return { ...one, apiVersion, spec: { size }, ...(status && { status: { at: status["seen"] ?? "" } }) };
}

let cluster: Cluster;
let api: Transport;
let hooks: WebhookServer;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  hooks = await startWebhookServer();
  const webhook = { clientConfig: hooks.on("/convert", convert), conversionReviewVersions: ["v1"] };
  const integer = { type: "integer", minimum: 0, maximum: 10 };
  const versions = [
    version("v1", objectOf({ width: integer }), objectOf({ seen: string }), true),
    version(
      "v2",
      objectOf({ size: objectOf({ width: integer }, ["width"]) }, ["size"]),
      objectOf({ at: { ...string, maxLength: 5 } }, ["at"]),
      false,
    ),
  ];
  await install(api, boxDefinition(GROUP, versions, { conversion: { strategy: "Webhook", webhook } }));
  await call(api, "POST", boxesOf(GROUP), { metadata: { name: "old" }, spec: { width: 3 } });
});
afterAll(async () => {
  await hooks[Symbol.asyncDispose]();
  await cluster.close();
});

describe("a custom object in a version that a webhook converts is validated in the version in which it was sent", () => {
  const V2 = boxesOf(GROUP, "v2");
  const rows: readonly (readonly [what: string, method: string, path: string, body: JsonObject, message: string])[] = [
    [
      "a create without what is required",
      "POST",
      "",
      { metadata: { name: "a" }, spec: {} },
      "spec.size: Required value",
    ],
    [
      "a create without what is required inside",
      "POST",
      "",
      { metadata: { name: "a" }, spec: { size: {} } },
      "spec.size.width: Required value",
    ],
    [
      "a patch that takes something away",
      "PATCH",
      "/old",
      { spec: { size: { width: null } } },
      "spec.size.width: Required value",
    ],
    ["a patch of a value", "PATCH", "/old", { spec: { size: { width: 11 } } }, "spec.size.width: Invalid value: 11"],
    [
      "a patch of the status",
      "PATCH",
      "/old/status",
      { status: { at: "too long" } },
      "status.at: Too long: may not be more than 5 bytes",
    ],
  ];
  test.each(rows)("and refused: %s", async (_, method, path, body, message) => {
    const refused = await call(api, method, V2 + path, body, method === "PATCH" ? MERGE : {});
    expect([refused.status, refused.at("message")]).toEqual([422, expect.stringContaining(message)]);
  });

  test("and stored in the stored version when it is valid", async () => {
    expect((await call(api, "POST", V2, { metadata: { name: "new" }, spec: { size: { width: 1 } } })).status).toBe(201);
    expect((await call(api, "PATCH", `${V2}/new`, { spec: { size: { width: 2 } } }, MERGE)).status).toBe(200);
    const seen = await call(api, "PATCH", `${V2}/new/status`, { status: { at: "noon" } }, MERGE);
    expect([seen.status, seen.at("status")]).toEqual([200, { at: "noon" }]);
    expect((await call(api, "PATCH", `${V2}/new`, { metadata: { labels: { a: "b" } } }, MERGE)).status).toBe(200);
    const stored = await call(api, "GET", `${boxesOf(GROUP)}/new`);
    expect([stored.at("spec"), stored.at("status"), stored.at("metadata.generation")]).toEqual([
      { width: 2 },
      { seen: "noon" },
      2,
    ]);
  });
});
