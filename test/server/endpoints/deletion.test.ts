import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const LONGEST = "9223372036854775807";
const CONTAINERS = '"containers":[{"name":"c","image":"i"}]';

test.each([
  ["in the body", "", `{"gracePeriodSeconds":${LONGEST}}`, ""],
  ["in the query", `?gracePeriodSeconds=${LONGEST}`, undefined, ""],
  ["of the pod", "", undefined, `,"terminationGracePeriodSeconds":${LONGEST}`],
])("the longest grace period %s is longer than any test", async (where, query, body, extra) => {
  const name = where.replaceAll(" ", "-");
  await call(api, "POST", PODS, `{"metadata":{"name":"${name}"},"spec":{"nodeName":"n",${CONTAINERS}${extra}}}`);
  const deleted = await call(api, "DELETE", `${PODS}/${name}${query}`, body);
  expect(deleted.status).toBe(200);
  expect(Date.parse(deleted.at("metadata.deletionTimestamp") as string)).toBeGreaterThan(Date.now() + 1e12);
  expect((await call(api, "GET", `${PODS}/${name}`)).status).toBe(200);
  await call(api, "DELETE", `${PODS}/${name}`, { gracePeriodSeconds: 0 });
  expect((await call(api, "GET", `${PODS}/${name}`)).status).toBe(404);
});

test("an update that leaves deletionTimestamp out changes no content, and does not undo the deletion", async () => {
  const labels = { app: "a" };
  await call(api, "POST", DEPLOYMENTS, {
    metadata: { name: "held", finalizers: ["example.com/held"] },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const deleted = await call(api, "DELETE", `${DEPLOYMENTS}/held`);
  expect(deleted.at("metadata.generation")).toBe(2);
  const { metadata, ...rest } = JSON.parse(deleted.text) as { metadata: Record<string, unknown> };
  const { deletionTimestamp, deletionGracePeriodSeconds: _, ...kept } = metadata;
  const put = await call(api, "PUT", `${DEPLOYMENTS}/held`, { ...rest, metadata: { ...kept, labels } });
  expect(put.at("metadata.generation")).toBe(2);
  expect(put.at("metadata.deletionTimestamp")).toBe(deletionTimestamp);
});

test("a scale patched to something else is refused", async () => {
  const patch = '{"spec":{"replicas":"many"}}';
  const answer = await call(api, "PATCH", `${DEPLOYMENTS}/held/scale`, patch, { type: "application/merge-patch+json" });
  expect([answer.status, answer.at("reason")]).toEqual([422, "Invalid"]);
});
