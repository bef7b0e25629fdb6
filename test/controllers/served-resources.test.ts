import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { kubernetesClient } from "../../src/client/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type Served, ServedResources } from "../../src/controllers/served-resources.js";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, scheduler: false });
});
afterAll(() => cluster.close());

function discover(transport: Transport): Promise<Served> {
  const client = kubernetesClient({ transport: () => transport }, {});
  return new ServedResources(client.rest, systemClock).all();
}

/** As a server before Kubernetes 1.26, which knows no aggregated discovery; it answers with 404 at `broken`. */
const asOlderServer = (broken = ""): Transport => {
  const own = cluster.transport();
  return {
    ...own,
    async send(request) {
      const path = request.path === broken ? "/apis/gone/v1" : request.path;
      return own.send({ ...request, path, headers: { ...request.headers, accept: "application/json" } });
    },
  };
};

test("the garbage collector finds the same resources on a server without aggregated discovery, by a request for each group version", async () => {
  const whole = await discover(cluster.transport());
  const single = await discover(asOlderServer());
  expect(single.resources.length).toBeGreaterThan(50);
  expect(single).toEqual(whole);
});

test("the garbage collector reports a group version that does not answer, and knows all others", async () => {
  const { resources, failed } = await discover(asOlderServer("/apis/batch/v1"));
  expect([...failed.keys()]).toEqual(["batch/v1"]);
  expect(resources.some(({ apiVersion }) => apiVersion === "batch/v1")).toBe(false);
  expect(resources.some(({ kind }) => kind === "Deployment")).toBe(true);
});
