import { expect, test } from "vitest";
import { manualClock, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";

const labels = { app: "web" };
const deployment = {
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
  },
};

/** How many ReplicaSets there are an hour after a Deployment was created. */
async function replicaSetsOf(controllers: boolean): Promise<number> {
  const options = { port: false, scheduler: false, ...(controllers ? {} : { controllers }) } as const;
  await using cluster = await startCluster({ ...options, clock: manualClock() });
  const api = cluster.transport();
  const made = await call(api, "POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
  expect(made.status).toBe(201);
  await cluster.clock.advance(3_600_000);
  const { at } = await call(api, "GET", "/apis/apps/v1/namespaces/default/replicasets");
  return (at("items") as readonly unknown[]).length;
}

test("MAIN-7: a server without controllers stores a Deployment and creates no ReplicaSet", async () => {
  expect(await replicaSetsOf(false)).toBe(0);
  expect(await replicaSetsOf(true)).toBe(1);
});
