import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { startCluster } from "../../../src/cluster/index.js";
import { API_SERVICES, Backend, caBundle, certificateOf, json } from "../../helpers/aggregated-backend.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const MERGE = { type: "application/merge-patch+json" };
const elsewhere = { insecureSkipTLSVerify: true, service: { namespace: "default", name: "elsewhere", port: 443 } };

const serviceOf = async (api: Transport, name: string): Promise<unknown> =>
  (await call(api, "GET", `${API_SERVICES}/${name}`)).at("spec.service.name");

test("A-APS-09: an administrator can point the APIService of a built-in group version to a service, until the next start", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kubets-own-api-services-"));
  const options = { ...quietCluster, storage: "disk", dataDir } as const;
  const first = await startCluster(options);
  const api = first.transport();
  await call(api, "PATCH", `${API_SERVICES}/v1.batch`, { spec: elsewhere }, MERGE);
  await eventually(async () => expect((await call(api, "GET", "/apis/batch/v1/jobs")).status).toBe(503));
  expect((await call(api, "GET", "/apis/apps/v1/deployments")).status).toBe(200);
  await first.close();
  await using second = await startCluster(options);
  expect(await serviceOf(second.transport(), "v1.batch")).toBeUndefined();
  expect((await call(second.transport(), "GET", "/apis/batch/v1/jobs")).status).toBe(200);
  await rm(dataDir, { recursive: true });
});

test("AC-1, C-AGG-02: a deleted APIService of a custom definition is created again at once, unless its label was removed", async () => {
  await using cluster = await startCluster(quietCluster);
  const api = cluster.transport();
  await install(api, boxDefinition("kept.example.com", [versionOf("v1", {})]));
  const name = "v1.kept.example.com";
  await eventually(async () => expect((await call(api, "GET", `${API_SERVICES}/${name}`)).status).toBe(200));
  const first = (await call(api, "GET", `${API_SERVICES}/${name}`)).at("metadata.uid");
  await call(api, "DELETE", `${API_SERVICES}/${name}`);
  await eventually(async () => {
    const found = await call(api, "GET", `${API_SERVICES}/${name}`);
    expect([found.status, found.at("metadata.uid") === first]).toEqual([200, false]);
  });
  await call(api, "PATCH", `${API_SERVICES}/${name}`, { spec: elsewhere }, MERGE);
  await eventually(async () => expect(await serviceOf(api, name)).toBeUndefined());
  const labels = { "kube-aggregator.kubernetes.io/automanaged": null };
  await call(api, "PATCH", `${API_SERVICES}/${name}`, { metadata: { labels }, spec: elsewhere }, MERGE);
  expect(await serviceOf(api, name)).toBe("elsewhere");
});

test("an APIService of a metrics server replaces the cluster's own metrics until it is deleted", async () => {
  await using cluster = await startCluster({ port: 0, nodes: 1 });
  const api = cluster.transport();
  const nodes = async () => (await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes")).at("metadata.name");
  expect(await nodes()).toBeUndefined();
  await using backend = await Backend.start("metrics.k8s.io", () => {}, certificateOf("metrics.k8s.io"));
  backend.server
    .removeAllListeners("request")
    .on("request", (_request, response) => json(response, 200, { metadata: { name: "of the metrics server" } }));
  await call(api, "POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "metrics" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await call(api, "POST", API_SERVICES, {
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle,
      service: { namespace: "default", name: "metrics", port: backend.port },
    },
  });
  await eventually(async () => expect(await nodes()).toBe("of the metrics server"));
  await call(api, "DELETE", `${API_SERVICES}/v1beta1.metrics.k8s.io`);
  await eventually(async () => {
    const own = await call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes");
    expect([own.status, own.at("kind")]).toEqual([200, "NodeMetricsList"]);
  });
});
