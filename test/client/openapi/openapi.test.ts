import { describe, expect, test } from "vitest";
import { createOpenApi } from "../../../src/client/openapi/create-openapi.js";
import type { RestClient, RestRequest } from "../../../src/client/rest/rest-client.js";
import { genericServerResponse } from "../../../src/machinery/errors/status-error.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";

const kind = { group: "apps", version: "v1", kind: "Deployment" };
const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const document: JsonObject = {
  paths: {
    "/apis/apps/v1/deployments/{name}/scale": {
      patch: { "x-kubernetes-group-version-kind": { group: "autoscaling", version: "v1", kind: "Scale" } },
    },
    "/apis/apps/v1/deployments/{name}": {
      patch: {
        "x-kubernetes-group-version-kind": kind,
        parameters: [{ name: "fieldValidation", in: "query" }, { $ref: "#/components/parameters/dry" }],
        requestBody: { content: { "application/strategic-merge-patch+json": {} } },
      },
    },
  },
  components: {
    parameters: { dry: { name: "dryRun", in: "query" } },
    schemas: {
      Deployment: {
        "x-kubernetes-group-version-kind": [kind],
        properties: {
          spec: { allOf: [schema("Spec")], default: {} },
          data: { additionalProperties: { type: "string" } },
        },
      },
      Spec: {
        properties: {
          replicas: { type: "integer" },
          containers: {
            type: "array",
            items: { allOf: [schema("Container")] },
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "x-kubernetes-patch-merge-key": "name",
          },
        },
      },
      Container: { properties: { name: { type: "string" } } },
    },
  },
};

function serve(documents: Record<string, JsonObject>): { client: RestClient; requests: RestRequest[] } {
  const requests: RestRequest[] = [];
  const client: RestClient = {
    server: "https://h/prefix",
    request: (request) => {
      requests.push(request);
      const found = documents[request.path];
      if (found) return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), json: () => found });
      const nothing = { group: "", resource: "" };
      return Promise.reject(
        genericServerResponse({ code: 404, verb: "GET", resource: nothing, name: "", serverMessage: "" }),
      );
    },
    stream: () => Promise.reject(new Error("not streamed")),
    close: () => Promise.resolve(),
  };
  return { client, requests };
}

const index = { paths: { "apis/apps/v1": { serverRelativeURL: "/prefix/openapi/v3/apis/apps/v1?hash=AB" } } };

describe("the client's copy of a server's OpenAPI v3", () => {
  test("requests the index and each document once, with the hash of the index", async () => {
    const { client, requests } = serve({ "/openapi/v3": index, "/openapi/v3/apis/apps/v1": document });
    const openapi = createOpenApi(client);
    expect(await openapi.supportsPatchParameter(kind, "fieldValidation")).toBe(true);
    expect(await openapi.supportsPatchParameter(kind, "dryRun")).toBe(true);
    expect(await openapi.supportsPatchParameter(kind, "nope")).toBe(false);
    expect(await openapi.supportsPatchParameter({ ...kind, version: "v9" }, "dryRun")).toBeUndefined();
    expect(requests.map(({ path, query }) => ({ path, query }))).toEqual([
      { path: "/openapi/v3", query: { timeout: "32s" } },
      { path: "/openapi/v3/apis/apps/v1", query: { timeout: "32s", hash: ["AB"] } },
    ]);
  });

  test("has the merge keys of a kind, also through references", async () => {
    const { client } = serve({ "/openapi/v3": index, "/openapi/v3/apis/apps/v1": document });
    const patch = await createOpenApi(client).patchSchema(kind);
    const spec = patch?.field("spec")?.schema;
    expect(spec?.field("containers")).toMatchObject({ mergeKey: "name", strategies: ["merge", "retainKeys"] });
    expect(spec?.field("containers")?.schema?.field("name")).toEqual({ strategies: [] });
    expect(spec?.field("nope")).toBeUndefined();
    expect(patch?.field("data")?.schema?.field("anything")).toEqual({ strategies: [] });
    expect(patch?.field("constructor")).toBeUndefined();
  });

  test("is undefined when the server publishes none", async () => {
    expect(await createOpenApi(serve({}).client).patchSchema(kind)).toBeUndefined();
  });
});
