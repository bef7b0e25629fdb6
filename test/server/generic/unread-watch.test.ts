import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { done } from "../../helpers/admitting-server.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
let cluster: DrivenCluster;

beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, clock: manualClock() });
  await done(cluster.transport(), "POST", MAPS, { metadata: { name: "map" } });
});
afterAll(() => cluster.close());

test("the server ends a watch some time after its timeout when its client opens no flow-control window", async () => {
  const session = connect(cluster.url, { ca: cluster.caCertificate, settings: { initialWindowSize: 0 } });
  const stream = session.request({
    ":path": `${MAPS}?watch=true&timeoutSeconds=5`,
    authorization: `Bearer ${cluster.token}`,
  });
  stream.on("error", () => {});
  await once(stream, "response");
  const closed = new Promise((resolve) => stream.once("close", resolve));
  await cluster.clock.advance("5s");
  expect(stream.closed).toBe(false);
  await cluster.clock.advance("10s");
  await closed;
  session.close();
});
