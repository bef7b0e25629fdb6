import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { Backend, json, registerApi, untilAvailable } from "../../helpers/aggregated-backend.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const tool = realTool("kubectl");
if (tool.missing !== undefined) process.stdout.write(`kubectl explain by OpenAPI 2 is skipped: ${tool.missing}\n`);

const GROUP = "legacy.example.com";
const PATH = `apis/${GROUP}/v1`;
const KIND = { group: GROUP, version: "v1", kind: "Thing" };

/** As a server of before Kubernetes 1.24 describes one kind. */
const DOCUMENT = {
  swagger: "2.0",
  info: { title: "Legacy", version: "1" },
  securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
  paths: {
    [`/${PATH}/namespaces/{namespace}/things`]: {
      parameters: [{ name: "namespace", in: "path", required: true, type: "string", uniqueItems: true }],
      post: {
        operationId: "createThing",
        consumes: ["application/json"],
        produces: ["application/json", "application/yaml"],
        parameters: [
          { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/com.example.Thing" } },
          { name: "dryRun", in: "query", type: "string" },
        ],
        responses: { 201: { description: "Created", schema: { $ref: "#/definitions/com.example.Thing" } }, 401: {} },
        "x-kubernetes-action": "post",
        "x-kubernetes-group-version-kind": KIND,
      },
      get: {
        operationId: "listThing",
        responses: { 200: { description: "OK" } },
        "x-kubernetes-group-version-kind": KIND,
      },
    },
  },
  definitions: {
    "com.example.Thing": {
      type: "object",
      description: "Thing is a kind of old.",
      properties: {
        spec: { description: "What is wanted.", $ref: "#/definitions/com.example.ThingSpec" },
        parts: { type: "array", items: { $ref: "#/definitions/com.example.ThingSpec" } },
        labels: { type: "object", additionalProperties: { type: "string" } },
      },
      "x-kubernetes-group-version-kind": [KIND],
    },
    "com.example.ThingSpec": { type: "object", properties: { color: { type: "string", description: "The color." } } },
  },
};

describe("an extension server that publishes only OpenAPI v2", () => {
  let main: Cluster;
  let api: Transport;
  let backend: Backend;

  beforeAll(async () => {
    main = await startCluster({ ...quietCluster, port: 0 });
    api = main.transport();
    backend = await Backend.start(GROUP, ({ url = "" }, response: ServerResponse) => {
      if (url === "/openapi/v2") json(response, 200, DOCUMENT);
      else json(response, 404, { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 });
    });
    await registerApi(api, { group: GROUP, port: backend.port });
    await untilAvailable(api, GROUP);
  });
  afterAll(async () => {
    await main.close();
    await backend[Symbol.asyncDispose]();
  });

  const entry = () =>
    eventually(async () => {
      const index = JSON.parse((await call(api, "GET", "/openapi/v3")).text);
      const url: string = index.paths[PATH].serverRelativeURL;
      expect(url).toMatch(new RegExp(`^/openapi/v3/${PATH}\\?hash=[0-9A-F]{128}$`));
      return url;
    });

  test("AOA-2, AOA-3: is also published as OpenAPI v3", async () => {
    const answer = await call(api, "GET", await entry());
    expect(answer.status).toBe(200);
    const { paths, components, openapi, info } = JSON.parse(answer.text);
    expect({ openapi, info }).toEqual({ openapi: "3.0.0", info: { title: "Legacy", version: "1" } });
    const reference = { $ref: "#/components/schemas/com.example.Thing" };
    expect(paths[`/${PATH}/namespaces/{namespace}/things`]).toEqual({
      parameters: [{ name: "namespace", in: "path", required: true, schema: { type: "string", uniqueItems: true } }],
      post: {
        "x-kubernetes-action": "post",
        "x-kubernetes-group-version-kind": KIND,
        operationId: "createThing",
        parameters: [{ name: "dryRun", in: "query", schema: { type: "string" } }],
        requestBody: { content: { "application/json": { schema: reference } } },
        responses: {
          201: {
            description: "Created",
            content: { "application/json": { schema: reference }, "application/yaml": { schema: reference } },
          },
          401: { description: "" },
        },
      },
      get: {
        "x-kubernetes-group-version-kind": KIND,
        operationId: "listThing",
        responses: { 200: { description: "OK" } },
      },
    });
    expect(components.securitySchemes).toEqual({
      BearerToken: { type: "apiKey", name: "authorization", in: "header" },
    });
    const thing = components.schemas["com.example.Thing"];
    expect(thing["x-kubernetes-group-version-kind"]).toEqual([KIND]);
    expect(thing.properties).toEqual({
      spec: { description: "What is wanted.", allOf: [{ $ref: "#/components/schemas/com.example.ThingSpec" }] },
      parts: { type: "array", items: { $ref: "#/components/schemas/com.example.ThingSpec" } },
      labels: { type: "object", additionalProperties: { type: "string" } },
    });
  });

  test("redirects a client with an old hash to the current one, which may be cached for ever", async () => {
    const current = await entry();
    const moved = await call(api, "GET", `/openapi/v3/${PATH}?hash=0`);
    expect([moved.status, moved.headers["location"]]).toEqual([301, current]);
    expect((await call(api, "GET", current)).headers["cache-control"]).toBe("public, immutable");
  });

  test.skipIf(tool.missing !== undefined)("has its fields explained by kubectl", async () => {
    await entry();
    await using kubectl: RealKubectl = await realKubectl(main);
    const explained = await kubectl.ok("explain things.spec");
    expect(explained).toMatch(/^GROUP: +legacy.example.com\nKIND: +Thing\nVERSION: +v1\n/);
    expect(explained).toContain("FIELD: spec <ThingSpec>");
    expect(explained).toContain("The color.");
  });
});
