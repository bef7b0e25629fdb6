import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const OWNERS = 6000;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  const ownerReferences = Array.from({ length: OWNERS }, (_, at) => ({
    apiVersion: "v1",
    kind: "Node",
    name: `n${at}`,
    uid: `u-${at}`,
  }));
  const created = await call(api, "POST", MAPS, { metadata: { name: "owned", ownerReferences } });
  expect(created.status, created.text.slice(0, 300)).toBe(201);
});

afterAll(() => cluster.close());

let label = 0;

test.each(["application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json"])(
  "a short %s of a large object gives way to other requests",
  async (type) => {
    await inShortTurns(async () => {
      const value = `v${++label}`;
      const patch =
        type === "application/json-patch+json"
          ? [{ op: "add", path: "/metadata/labels", value: { a: value } }]
          : { metadata: { labels: { a: value } } };
      const [patched, other] = await Promise.all([
        call(api, "PATCH", `${MAPS}/owned`, patch, { type }),
        call(api, "GET", "/api/v1/namespaces/default"),
      ]);
      expect(other.status).toBe(200);
      expect(patched.at("metadata.labels.a")).toBe(value);
      expect(patched.at("metadata.ownerReferences")).toHaveLength(OWNERS);
    });
  },
);
