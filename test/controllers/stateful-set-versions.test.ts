import { expect, onTestFinished, test } from "vitest";
import { manualClock, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";

const SETS = "/apis/apps/v1/namespaces/default/statefulsets";
const CONTROLLERS = [
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "statefulset-controller",
  "node-lifecycle-controller",
];

test.each([
  ["1.36", {}, ["web-3"]],
  ["1.37", {}, ["web-2", "web-3"]],
  ["1.37", { MaxUnavailableStatefulSet: false }, ["web-3"]],
] as const)(
  "K37-037: a StatefulSet of %s with %j replaces these pods at a time",
  async (version, featureGates, gone) => {
    const cluster = await startCluster({
      port: false,
      kubernetesVersion: version,
      featureGates,
      nodes: 1,
      controllers: CONTROLLERS,
      stages: () => ({ c: { stopDelay: "20s" } }),
      clock: manualClock(),
    });
    onTestFinished(() => cluster.close());
    const api = cluster.transport();
    const template = (image: string) => ({
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image }] },
    });
    const spec = {
      replicas: 4,
      podManagementPolicy: "Parallel",
      serviceName: "web",
      selector: { matchLabels: { app: "web" } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
      template: template("one"),
    };
    const created = await call(api, "POST", SETS, { metadata: { name: "web" }, spec });
    expect(created.status, created.text).toBe(201);
    await cluster.clock.advance("1m");
    expect((await call(api, "GET", `${SETS}/web`)).at("status.availableReplicas")).toBe(4);
    const merge = { type: "application/merge-patch+json" };
    await call(api, "PATCH", `${SETS}/web`, { spec: { template: template("two") } }, merge);
    await cluster.clock.advance("5s");
    const pods = objects((await call(api, "GET", "/api/v1/namespaces/default/pods")).at("items"));
    const going = pods.filter(({ metadata }) => "deletionTimestamp" in object(metadata));
    expect(going.map(({ metadata }) => text(object(metadata)["name"])).toSorted()).toEqual(gone);
    await cluster.clock.advance("10m");
    expect((await call(api, "GET", `${SETS}/web`)).at("status")).toMatchObject({
      updatedReplicas: 4,
      readyReplicas: 4,
    });
  },
);
