import { expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/index.js";
import { startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";

// runtimeConfig switches a group version off: the cluster starts without its objects, and without the controllers that need it.
const SLICES = "the server does not serve EndpointSlice of discovery.k8s.io/v1";
test.each([
  ["apiextensions.k8s.io/v1", ["validatingadmissionpolicy-status-controller"]],
  ["apiregistration.k8s.io/v1", []],
  ["batch/v1", ["cronjob-controller", "job-controller", "ttl-after-finished-controller"]],
  ["discovery.k8s.io/v1", ["endpointslice-controller", "endpointslice-mirroring-controller"]],
  ["flowcontrol.apiserver.k8s.io/v1", []],
  ["policy/v1", ["disruption-controller"]],
  ["rbac.authorization.k8s.io/v1", ["clusterrole-aggregation-controller"]],
  ["scheduling.k8s.io/v1", []],
] as const)(
  "a cluster with %s switched off starts, warns about the controllers %j, and reports no fault",
  async (group, missing) => {
    const faults: unknown[] = [];
    const warnings: string[] = [];
    await using cluster = await startCluster({
      port: false,
      runtimeConfig: { [group]: false },
      onError: (error) => void faults.push(error),
      onWarning: (warning) => void warnings.push(warning),
    });
    const client = kubernetesClient(cluster);
    const namespaces = client.of("v1", "Namespace");
    await namespaces.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await namespaces.delete("shop");
    await eventually(async () => expect(await namespaces.get("shop").catch(({ code }) => code)).toBe(404));
    expect(new Set(warnings.map((warning) => warning.split(" ")[0]))).toEqual(new Set(missing));
    if (group === "discovery.k8s.io/v1")
      expect(warnings).toContain(`endpointslice-controller is not started: ${SLICES}`);
    expect(faults).toEqual([]);
    await client.close();
  },
);

test("without EndpointSlices, simulated nodes route a Service by its Endpoints", async () => {
  await using cluster = await startCluster({ port: false, nodes: 1, runtimeConfig: { "discovery.k8s.io/v1": false } });
  const client = kubernetesClient(cluster);
  const pods = client.of("v1", "Pod").namespace("default");
  const web = { name: "web", image: "nginx", ports: [{ containerPort: 80 }] };
  const metadata = { name: "web", labels: { app: "web" } };
  await pods.create({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [web] } });
  const services = client.of("v1", "Service").namespace("default");
  for (const [name, address] of [
    ["web", {}],
    ["headless", { clusterIP: "None" }],
  ] as const) {
    const spec = { selector: { app: "web" }, ports: [{ port: 80 }], ...address };
    await services.create({ apiVersion: "v1", kind: "Service", metadata: { name }, spec });
  }
  const command = ["sh", "-c", "wget -q -O - http://web && wget -q -O - http://headless"];
  const caller = { name: "main", image: "busybox", command };
  await pods.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "caller" },
    spec: { restartPolicy: "OnFailure", containers: [caller] },
  });
  await eventually(async () => expect((await pods.get("caller")).status?.phase).toBe("Succeeded"));
  await client.close();
});
