import { expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/index.js";
import { startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster, readyNodes } from "../helpers/quiet-cluster.js";
import { node, pod } from "./cluster-state.js";

test("the scheduler and the volume binder bind a claim, and then its pod, to the node of the only volume", async () => {
  const { controllers = [] } = quietCluster;
  const errors: unknown[] = [];
  await using cluster = await startCluster({
    ...readyNodes,
    port: false,
    controllers: [...(controllers === false ? [] : controllers), "persistentvolume-binder-controller"],
    onError: (error) => errors.push(error),
  });
  await using client = kubernetesClient(cluster);
  for (const name of ["a", "b"]) {
    const { metadata, status } = node(name);
    await client.of("v1", "Node").create({ metadata: { name, labels: metadata?.labels ?? {} } });
    await client.of("v1", "Node").patchStatus(name, { status }, { type: "merge" });
  }
  await client.of("storage.k8s.io/v1", "StorageClass").create({
    metadata: { name: "by-hand" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: ["b"] }] },
    ],
  };
  await client.of("v1", "PersistentVolume").create({
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "by-hand",
      local: { path: "/disk" },
      nodeAffinity: { required },
    },
  });
  const resources = { requests: { storage: "1Gi" } };
  await client
    .of("v1", "PersistentVolumeClaim")
    .namespace("default")
    .create({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "by-hand", resources },
    });
  const { spec } = pod("p", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
  const pods = client.of("v1", "Pod").namespace("default");
  await pods.create({ metadata: { name: "p" }, ...(spec && { spec }) });
  await eventually(async () => expect((await pods.get("p")).spec?.nodeName).toBe("b"));
  const claim = await client.of("v1", "PersistentVolumeClaim").namespace("default").get("data");
  expect([claim.status?.phase, claim.spec?.volumeName]).toEqual(["Bound", "disk"]);
  expect(errors).toEqual([]);
});
