import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient } from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { deferred } from "../../../src/base/async/deferred.js";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ port: false });
});
afterAll(() => cluster.close());

test("discovery does not keep an answer that was requested before the cache was invalidated", async () => {
  const transport = cluster.transport();
  const [held, release] = [deferred<void>(), deferred<void>()];
  const asked: string[] = [];
  await using client = kubernetesClient({
    transport: () => ({
      async send(request) {
        asked.push(request.path.replace(/\?.*/, ""));
        const response = await transport.send(request);
        if (asked.length === 2) {
          held.resolve();
          await release.promise;
        }
        return response;
      },
      close: () => transport.close(),
    }),
  });
  const first = client.discovery.resources();
  await held.promise;
  client.discovery.invalidate();
  release.resolve();
  await first;
  await client.discovery.resources();
  expect(asked).toEqual(["/api", "/apis", "/api", "/apis"]);
});
