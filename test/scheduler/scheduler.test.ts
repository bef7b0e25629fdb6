import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Node, Pod } from "../../src/api/types/core/v1.js";
import { kubernetesClient, type KubernetesClient } from "../../src/client/index.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { Action } from "../../src/scheduler/framework/cluster-event.js";
import type { SchedulerHandle } from "../../src/scheduler/framework/plugin.js";
import { unschedulable } from "../../src/scheduler/framework/status.js";
import { quietCluster, readyNodes } from "../helpers/quiet-cluster.js";
import { eventually } from "../helpers/eventually.js";
import { seededRandom } from "../helpers/seeded-random.js";
import { node, type NodeShape, pod, type PodShape } from "./cluster-state.js";

let cluster: Cluster;
let client: KubernetesClient;
let handle: SchedulerHandle | undefined;
const errors: unknown[] = [];
const seen: string[] = [];

beforeAll(async () => {
  cluster = await startCluster({
    ...quietCluster,
    ...readyNodes,
    port: false,
    random: seededRandom("scheduler"),
    onError: (error) => errors.push(error),
    scheduler: {
      plugins: {
        // A plugin of the user's: pods with the annotation "team" go to nodes with that label, and "hold" lets them wait at permit.
        Team: (given) => {
          handle = given;
          return {
            name: "Team",
            events: [{ resource: "Node", action: Action.nodeLabel }],
            filter(_state, { pod: { metadata } }, { labels }) {
              const team = metadata?.annotations?.["team"];
              return team === undefined || labels["team"] === team
                ? undefined
                : unschedulable("Team", "node(s) of another team");
            },
            permit: (_state, { pod: { metadata } }) =>
              metadata?.annotations?.["hold"] === undefined
                ? undefined
                : { code: "wait", reasons: [], plugin: "Team", waitMilliseconds: 60_000 },
            postBind: (_state, { name }, on) => void seen.push(`${name} on ${on}`),
          };
        },
      },
    },
  });
  client = kubernetesClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

let namespace = "";
let count = 0;
beforeEach(async () => {
  // Pods of the test before would still count on nodes of the same name.
  await client
    .of("v1", "Pod")
    .namespace(namespace || "default")
    .deleteCollection({}, { gracePeriodSeconds: 0 });
  namespace = `s${++count}`;
  await client.of("v1", "Namespace").create({ metadata: { name: namespace } });
  for (const { metadata } of (await client.of("v1", "Node").list()).items) {
    await client.of("v1", "Node").delete(metadata?.name ?? "");
  }
  // The scheduler may bind to a node until its watch has brought the deletion.
  await eventually(async () => expect(handle?.nodes.list()).toEqual([]));
});

async function addNode(name: string, shape: NodeShape = {}): Promise<void> {
  const { metadata, spec, status, ...rest }: Node = node(name, shape);
  const { uid: _, ...named } = metadata ?? {};
  await client.of("v1", "Node").create({ ...rest, metadata: named, ...(spec && { spec }) });
  await client.of("v1", "Node").patchStatus(name, { status }, { type: "merge" });
}

async function addPod(name: string, shape: PodShape = {}): Promise<Pod> {
  const { metadata, ...rest } = pod(name, { namespace, terminationGracePeriodSeconds: 0, ...shape });
  const { uid: _, ...named } = metadata ?? {};
  return client
    .of("v1", "Pod")
    .namespace(namespace)
    .create({ ...rest, metadata: named });
}

const read = (name: string): Promise<Pod> => client.of("v1", "Pod").namespace(namespace).get(name);
const condition = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "PodScheduled");

const isOn = (name: string, on: string): Promise<void> =>
  eventually(async () => expect((await read(name)).spec?.nodeName).toBe(on));

const isRejected = (name: string, message: string): Promise<void> =>
  eventually(async () => {
    expect(condition(await read(name))).toMatchObject({ status: "False", reason: "Unschedulable", message });
  });

const eventsOf = async (name: string): Promise<(readonly (string | undefined)[])[]> => {
  const { items } = await client.of("events.k8s.io/v1", "Event").namespace(namespace).list();
  return items
    .filter(({ regarding }) => regarding?.name === name)
    .map(({ type, reason, action, note, reportingController }) => [type, reason, action, note, reportingController]);
};

describe("the scheduler and a pod", () => {
  test("BND2-1 binds it to a node that fits, with an event", async () => {
    await addNode("a");
    await addPod("p", { requests: { cpu: "1" } });
    await isOn("p", "a");
    expect(condition(await read("p"))).toMatchObject({ status: "True" });
    const expected = [
      "Normal",
      "Scheduled",
      "Binding",
      `Successfully assigned ${namespace}/p to a`,
      "default-scheduler",
    ];
    await eventually(async () => expect(await eventsOf("p")).toEqual([expected]));
  });

  test("PRD-6 writes the reason why no node fits, and binds it when one does", async () => {
    await addNode("a", { allocatable: { cpu: "1" } });
    await addNode("b", { taints: [{ key: "k", effect: "NoSchedule" }] });
    await addPod("p", { requests: { cpu: "2" } });
    const message = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).";
    await eventually(async () => {
      expect(condition(await read("p"))?.message?.startsWith(message)).toBe(true);
      expect((await eventsOf("p"))[0]?.slice(0, 3)).toEqual(["Warning", "FailedScheduling", "Scheduling"]);
    });
    await addNode("c");
    await isOn("p", "c");
  });

  test("lets it wait in a cluster without nodes", async () => {
    await addPod("p");
    await isRejected("p", "no nodes available to schedule pods");
    await addNode("a");
    await isOn("p", "a");
  });

  test("leaves it alone while it has a scheduling gate", async () => {
    await addNode("a");
    await addPod("gated", { schedulingGates: [{ name: "example.com/wait" }] });
    await addPod("free");
    await isOn("free", "a");
    const gated = await read("gated");
    expect([gated.spec?.nodeName, condition(gated)?.reason]).toEqual([undefined, "SchedulingGated"]);
    await client
      .of("v1", "Pod")
      .namespace(namespace)
      .patch("gated", { spec: { schedulingGates: null } }, { type: "merge" });
    await isOn("gated", "a");
  });

  test("SCD-6 leaves it to another scheduler, and counts it on its node", async () => {
    await addNode("a", { allocatable: { cpu: "2" } });
    await addPod("theirs", { schedulerName: "other", requests: { cpu: "2" } });
    await addPod("bound", { schedulerName: "other", nodeName: "a", requests: { cpu: "1" } });
    await addPod("ours", { requests: { cpu: "1" } });
    await isOn("ours", "a");
    const theirs = await read("theirs");
    expect([theirs.spec?.nodeName, theirs.status?.conditions]).toEqual([undefined, undefined]);
  });

  test("lets it wait until a pod whose place it needs has ended", async () => {
    await addNode("a", { allocatable: { cpu: "2" } });
    await addPod("first", { requests: { cpu: "2" } });
    await isOn("first", "a");
    await addPod("second", { requests: { cpu: "2" } });
    await eventually(async () => expect(condition(await read("second"))?.reason).toBe("Unschedulable"));
    await client.of("v1", "Pod").namespace(namespace).delete("first");
    await isOn("second", "a");
  });

  test("counts pods that it has just placed, so that pods that come together never share one place", async () => {
    await addNode("a", { allocatable: { cpu: "2" } });
    await addNode("b", { allocatable: { cpu: "2" } });
    await Promise.all(["p", "q", "r"].map((name) => addPod(name, { requests: { cpu: "1500m" } })));
    await eventually(async () => {
      const pods = await Promise.all(["p", "q", "r"].map(read));
      expect(pods.map((one) => one.spec?.nodeName ?? "none").sort()).toEqual(["a", "b", "none"]);
    });
  });
});

describe("the scheduler's preemption", () => {
  const priorities = async (): Promise<void> => {
    for (const [name, value] of [
      ["high", 1000],
      ["low", 10],
    ] as const) {
      const create = client.of("scheduling.k8s.io/v1", "PriorityClass").create({ metadata: { name }, value });
      await create.catch(() => {});
    }
  };

  test("PRC-5, PRE-2 deletes a less important pod, and nominates the waiting pod to that node", async () => {
    await priorities();
    await addNode("a", { allocatable: { cpu: "2" } });
    await addPod("low", { priorityClassName: "low", requests: { cpu: "2" }, terminationGracePeriodSeconds: 30 });
    await isOn("low", "a");
    await addPod("high", { priorityClassName: "high", requests: { cpu: "1" } });
    await eventually(async () => {
      const { status } = await read("high");
      expect(status?.nominatedNodeName).toBe("a");
      expect(condition({ status } as Pod)?.message).toBe(
        "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node a, preempting 1 victims",
      );
      const low = await read("low");
      expect(low.metadata?.deletionTimestamp).toBeDefined();
      expect(low.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
        status: "True",
        reason: "PreemptionByScheduler",
        message: "default-scheduler: preempting to accommodate a higher priority pod",
      });
    });
    const { uid = "" } = (await read("high")).metadata ?? {};
    await eventually(async () => {
      expect(await eventsOf("low")).toContainEqual([
        "Normal",
        "Preempted",
        "Preempting",
        `Preempted by pod ${uid} on node a`,
        "default-scheduler",
      ]);
    });
    // Nothing runs the pod here: its end is shown to the API as a kubelet does.
    await client.of("v1", "Pod").namespace(namespace).delete("low", { gracePeriodSeconds: 0 });
    await isOn("high", "a");
    expect((await read("high")).status?.nominatedNodeName).toBeUndefined();
  });

  test("PRE-1 writes why it does not help", async () => {
    await priorities();
    await addNode("full", { allocatable: { cpu: "2" } });
    await addNode("cordoned", { unschedulable: true });
    await addPod("equal", { priorityClassName: "high", requests: { cpu: "2" } });
    await isOn("equal", "full");
    await addPod("p", { priorityClassName: "high", requests: { cpu: "1" } });
    await eventually(async () => {
      expect(condition(await read("p"))?.message).toBe(
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, " +
          "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, " +
          "1 Preemption is not helpful for scheduling.",
      );
    });
  });

  test("does not happen for a pod with preemptionPolicy Never", async () => {
    await priorities();
    await client
      .of("scheduling.k8s.io/v1", "PriorityClass")
      .create({ metadata: { name: "polite" }, value: 5000, preemptionPolicy: "Never" });
    await addNode("a", { allocatable: { cpu: "2" } });
    await addPod("low", { priorityClassName: "low", requests: { cpu: "2" } });
    await isOn("low", "a");
    await addPod("p", { priorityClassName: "polite", requests: { cpu: "1" } });
    await eventually(async () => {
      expect(condition(await read("p"))?.message).toMatch(/preemption: not eligible due to preemptionPolicy=Never\.$/);
    });
    expect((await read("low")).metadata?.deletionTimestamp).toBeUndefined();
  });

  test("prefers the node whose pods no disruption budget protects", async () => {
    await priorities();
    await addNode("a", { allocatable: { cpu: "2" } });
    await addPod("kept", { labels: { app: "kept" }, priorityClassName: "low", requests: { cpu: "2" } });
    await isOn("kept", "a");
    await addNode("b", { allocatable: { cpu: "2" } });
    await addPod("given", { priorityClassName: "low", requests: { cpu: "2" } });
    await isOn("given", "b");
    await client
      .of("policy/v1", "PodDisruptionBudget")
      .namespace(namespace)
      .create({ metadata: { name: "keep" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } } });
    await addPod("high", { priorityClassName: "high", requests: { cpu: "1" } });
    await isOn("high", "b");
    expect((await read("kept")).spec?.nodeName).toBe("a");
  });
});

describe("the scheduler and a pod's volumes", () => {
  const claims = () => client.of("v1", "PersistentVolumeClaim").namespace(namespace);
  const using = (claimName: string): PodShape => ({
    volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
  });

  test("gives a claim a volume of the node, waits for the volume controller, and then binds the pod", async () => {
    await addNode("a");
    await addNode("b");
    await client.of("storage.k8s.io/v1", "StorageClass").create({
      metadata: { name: "by-hand" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const volumes = client.of("v1", "PersistentVolume");
    await volumes.create({
      metadata: { name: "disk-b" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "by-hand",
        local: { path: "/disk" },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["b"] }] },
            ],
          },
        },
      },
    });
    await volumes.patchStatus("disk-b", { status: { phase: "Available" } }, { type: "merge" });
    await claims().create({
      metadata: { name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "by-hand",
        resources: { requests: { storage: "1Gi" } },
      },
    });
    await addPod("p", using("data"));
    await eventually(async () => {
      const { spec, metadata } = await volumes.get("disk-b");
      expect(spec?.claimRef).toMatchObject({ kind: "PersistentVolumeClaim", namespace, name: "data" });
      expect(metadata?.annotations?.["pv.kubernetes.io/bound-by-controller"]).toBe("yes");
    });
    expect((await read("p")).spec?.nodeName).toBeUndefined();
    // What the volume controller does.
    const done = {
      metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
      spec: { volumeName: "disk-b" },
    };
    await claims().patch("data", done, { type: "merge" });
    await isOn("p", "b");
    await volumes.delete("disk-b");
  });

  test("names the node for a volume to be created, and returns the pod to the queue when that fails", async () => {
    await addNode("a");
    await client.of("storage.k8s.io/v1", "StorageClass").create({
      metadata: { name: "made" },
      provisioner: "example.com/disk",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    await claims().create({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "made", resources: { requests: { storage: "1Gi" } } },
    });
    await addPod("p", using("data"));
    const selected = "volume.kubernetes.io/selected-node";
    const isFor = (on: string | undefined): Promise<void> =>
      eventually(async () => expect((await claims().get("data")).metadata?.annotations?.[selected]).toBe(on));
    await isFor("a");
    await claims().patch("data", { metadata: { annotations: { [selected]: null } } }, { type: "merge" });
    await eventually(async () => {
      const { reason, message } = condition(await read("p")) ?? {};
      expect([reason, message]).toEqual([
        "SchedulerError",
        'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
      ]);
    });
    expect(errors.splice(0).map(String)).toEqual([
      'PluginError: running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
    ]);
    await isFor("a");
  });

  test("lets a pod wait for a missing claim", async () => {
    await addNode("a");
    await addPod("p", using("late"));
    await eventually(async () => {
      expect(condition(await read("p"))?.message).toMatch(
        /^0\/1 nodes are available: persistentvolumeclaim "late" not found\. /,
      );
    });
  });
});

test("the scheduler allocates and reserves a ResourceClaim before it binds the pod", async () => {
  await addNode("a");
  await addNode("b");
  const group = "resource.k8s.io/v1";
  const expression = 'device.attributes["gpu.example.com"].model == "b100"';
  const classes = client.of(group, "DeviceClass");
  await classes.create({ metadata: { name: "gpu" }, spec: { selectors: [{ cel: { expression } }] } });
  await client.of(group, "ResourceSlice").create({
    metadata: { name: "slice-b" },
    spec: {
      driver: "gpu.example.com",
      nodeName: "b",
      pool: { name: "b", generation: 1, resourceSliceCount: 1 },
      devices: ["gpu-0", "gpu-1"].map((name) => ({ name, attributes: { model: { string: "b100" } } })),
    },
  });
  const claims = client.of(group, "ResourceClaim").namespace(namespace);
  const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu" } }] } };
  await Promise.all(["c1", "c2", "c3"].map((name) => claims.create({ metadata: { name }, spec })));
  const using = (name: string): PodShape => ({
    resourceClaims: [{ name: "gpu", resourceClaimName: name }],
    containers: [{ resources: { claims: [{ name: "gpu" }] } }],
  });
  await Promise.all([addPod("p1", using("c1")), addPod("p2", using("c2"))]);
  await Promise.all([isOn("p1", "b"), isOn("p2", "b")]);
  const [c1, c2] = await Promise.all(["c1", "c2"].map((name) => claims.get(name)));
  const given = [c1, c2].map((one) => one?.status?.allocation?.devices?.results?.[0]?.device);
  expect(new Set(given)).toEqual(new Set(["gpu-0", "gpu-1"]));
  expect(c1?.status?.reservedFor).toMatchObject([{ resource: "pods", name: "p1" }]);
  expect(c1?.metadata?.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  await addPod("p3", using("c3"));
  await isRejected(
    "p3",
    "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, " +
      "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
  );
});

describe("a scheduler plugin of the user", () => {
  test("filters nodes with its own message, and sees pods that were bound", async () => {
    await addNode("a", { labels: { team: "red" } });
    await addPod("blue", { annotations: { team: "blue" } });
    await eventually(async () => {
      expect(condition(await read("blue"))?.message).toMatch(
        /^0\/1 nodes are available: 1 node\(s\) of another team\./,
      );
    });
    await addPod("red", { annotations: { team: "red" } });
    await isOn("red", "a");
    await eventually(() => expect(seen).toContain("red on a"));
  });

  test("lets a pod wait in the permit phase until it agrees", async () => {
    await addNode("a");
    const { metadata } = await addPod("held", { annotations: { hold: "" } });
    const uid = metadata?.uid ?? "";
    await eventually(() => expect(handle?.nodes.get("a")?.pods.has(uid)).toBe(true));
    expect((await read("held")).spec?.nodeName).toBeUndefined();
    await eventually(() => expect(handle?.allowWaiting(uid, "Team")).toBe(true));
    await isOn("held", "a");
  });

  test("rejects a pod that waits in the permit phase, which frees its place", async () => {
    await addNode("a");
    const { metadata } = await addPod("held", { annotations: { hold: "" } });
    const uid = metadata?.uid ?? "";
    await eventually(() => expect(handle?.rejectWaiting(uid, "Team", "no quota")).toBe(true));
    await isRejected("held", "0/1 nodes are available: 1 no quota.");
    expect(handle?.nodes.get("a")?.pods.has(uid)).toBe(false);
  });
});

test("the tests of the scheduler in this file caused no reported error", () => {
  expect(errors).toEqual([]);
});
