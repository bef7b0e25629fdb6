import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";

let cluster: Cluster;
let api: Transport;
beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
  const spec = { containers: [{ name: "c", image: "i" }] };
  expect((await call(api, "POST", PODS, { metadata: { name: "unbound" }, spec })).status).toBe(201);
});
afterAll(() => cluster.close());

test.each([
  [200, "GET", "/api/v1/namespaces/default", {}],
  [200, "GET", "/api/v1/namespaces", {}],
  [200, "GET", "/api/v1/namespaces?watch=1&timeoutSeconds=1", {}],
  [200, "GET", "/api/v1/namespaces", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }],
  [201, "POST", "/api/v1/namespaces", {}],
  [404, "GET", "/api/v1/namespaces/gone", {}],
  [403, "GET", "/api/v1/namespaces", { "impersonate-user": "jane" }],
  [405, "DELETE", "/api", {}],
  [406, "GET", "/api/v1/namespaces", { accept: "text/html" }],
  [204, "GET", `${PODS}/unbound/log`, {}],
  [200, "GET", "/api", {}],
  [200, "GET", "/apis", { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" }],
  [200, "GET", "/openapi/v2", {}],
  [200, "GET", "/openapi/v3", {}],
  [200, "GET", "/version", {}],
  [200, "GET", "/healthz", {}],
  [404, "GET", "/nothing", {}],
] as const)(
  "the answer %i of %s %s has the header that keeps browsers from guessing its type",
  async (status, method, path, headers) => {
    const body = method === "POST" ? { metadata: { name: "made" } } : undefined;
    const answer = await call(api, method, path, body, { headers });
    expect([answer.status, answer.headers["x-content-type-options"]]).toEqual([status, "nosniff"]);
    expect(answer.headers["cache-control"]).toMatch(/^(no-cache, private|public)$/);
  },
);
