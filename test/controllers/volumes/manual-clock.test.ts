import { expect, test } from "vitest";
import { manualClock, seededRandom, startCluster } from "../../../src/cluster/index.js";
import { text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";

test("on a manual clock a claim is bound when the cluster has no more work to do", async () => {
  await using cluster = await startCluster({
    port: false,
    nodes: 1,
    clock: manualClock("2026-01-01T00:00:00Z"),
    random: seededRandom("volumes"),
  });
  const api = cluster.transport();
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await call(api, "POST", claims, { metadata: { name: "data" }, spec });
  await cluster.clock.advance("1s");
  expect((await call(api, "GET", `${claims}/data`)).at("status.phase")).toBe("Pending");
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "i" }], volumes } };
  await call(api, "POST", "/api/v1/namespaces/default/pods", pod);
  await cluster.clock.advance("10s");
  expect((await call(api, "GET", `${claims}/data`)).at("status.phase")).toBe("Bound");
  expect(text((await call(api, "GET", "/api/v1/namespaces/default/pods/web")).at("status.phase"))).toBe("Running");
});
