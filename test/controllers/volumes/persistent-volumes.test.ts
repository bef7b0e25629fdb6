import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, nodes: 1 });
  api = cluster.transport();
  const fast = { metadata: { name: "fast" }, provisioner: "kubets.dev/fake", allowVolumeExpansion: true };
  await created(CLASSES, fast);
});

afterAll(() => cluster.close());

const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
const VOLUMES = "/api/v1/persistentvolumes";
const PODS = "/api/v1/namespaces/default/pods";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";

const claim = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const volume = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" }, hostPath: { path: `/tmp/${name}` }, ...spec },
});

async function created(path: string, body: JsonObject): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

async function merge(path: string, patch: JsonObject): Promise<void> {
  const answer = await call(api, "PATCH", path, patch, { type: "application/merge-patch+json" });
  expect(answer.status, answer.text).toBe(200);
}

const read = async (path: string) => JSON.parse((await call(api, "GET", path)).text) as JsonObject;
const phaseOf = async (path: string) => object((await read(path))["status"])["phase"];

async function reasonsOf(name: string): Promise<readonly string[]> {
  const events = await call(
    api,
    "GET",
    `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`,
  );
  return objects(events.at("items")).map(({ reason }) => text(reason));
}

describe("a claim without a storage class", () => {
  test("gets the default class, and waits for its first consumer", async () => {
    await created(CLAIMS, claim("waits"));
    await eventually(async () => {
      expect(object((await read(`${CLAIMS}/waits`))["spec"])["storageClassName"]).toBe("standard");
      expect(await reasonsOf("waits")).toContain("WaitForFirstConsumer");
    });
    expect(await phaseOf(`${CLAIMS}/waits`)).toBe("Pending");
  });

  test("gets a volume on the node that the scheduler has chosen", async () => {
    const annotations = { "volume.kubernetes.io/selected-node": "node-1" };
    await merge(`${CLAIMS}/waits`, { metadata: { annotations } });
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/waits`)).toBe("Bound"));
    const { spec, metadata } = await read(`${CLAIMS}/waits`);
    expect(object(metadata)["annotations"]).toMatchObject({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    });
    const made = await read(`${VOLUMES}/${text(object(spec)["volumeName"])}`);
    expect(made["spec"]).toMatchObject({ storageClassName: "standard", capacity: { storage: "1Gi" } });
    expect(JSON.stringify(object(made["spec"])["nodeAffinity"])).toContain("node-1");
    await eventually(async () => {
      const reasons = await reasonsOf("waits");
      expect(reasons).toEqual(
        expect.arrayContaining(["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]),
      );
    });
  });

  test("loses its volume when it is deleted", async () => {
    const name = text(object((await read(`${CLAIMS}/waits`))["spec"])["volumeName"]);
    await call(api, "DELETE", `${CLAIMS}/waits`);
    await eventually(async () => expect((await call(api, "GET", `${VOLUMES}/${name}`)).status).toBe(404));
  });
});

describe("a volume that a user created", () => {
  test("is offered, bound, and kept when its claim is deleted", async () => {
    await created(VOLUMES, volume("kept", { storageClassName: "manual" }));
    await eventually(async () => expect(await phaseOf(`${VOLUMES}/kept`)).toBe("Available"));
    await created(CLAIMS, claim("holds", { storageClassName: "manual" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/holds`)).toBe("Bound"));
    expect(object((await read(`${CLAIMS}/holds`))["status"])["capacity"]).toEqual({ storage: "2Gi" });
    await call(api, "DELETE", `${CLAIMS}/holds`);
    await eventually(async () => expect(await phaseOf(`${VOLUMES}/kept`)).toBe("Released"));
  });

  test("is bound to a claim that existed before", async () => {
    await created(CLAIMS, claim("early", { storageClassName: "late" }));
    await eventually(async () => expect(await reasonsOf("early")).toContain("ProvisioningFailed"));
    await created(VOLUMES, volume("late", { storageClassName: "late" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/early`)).toBe("Bound"));
  });

  test("goes to one claim of several, and the others wait", async () => {
    for (const name of ["x", "y", "z"]) await created(CLAIMS, claim(name, { storageClassName: "one" }));
    await created(VOLUMES, volume("only", { storageClassName: "one" }));
    await eventually(async () => expect(await phaseOf(`${VOLUMES}/only`)).toBe("Bound"));
    await eventually(async () => {
      const phases = await Promise.all(["x", "y", "z"].map((name) => phaseOf(`${CLAIMS}/${name}`)));
      expect(phases.filter((phase) => phase === "Bound")).toHaveLength(1);
    });
  });

  test("that is deleted makes its claim lost", async () => {
    await created(VOLUMES, volume("frail", { storageClassName: "frail" }));
    await created(CLAIMS, claim("lost", { storageClassName: "frail" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/lost`)).toBe("Bound"));
    await call(api, "DELETE", `${VOLUMES}/frail`);
    // Its protection goes by force.
    const merge = { type: "application/merge-patch+json" };
    await call(api, "PATCH", `${VOLUMES}/frail`, { metadata: { finalizers: null } }, merge);
    await eventually(async () => {
      expect(await phaseOf(`${CLAIMS}/lost`)).toBe("Lost");
      expect(await reasonsOf("lost")).toContain("ClaimLost");
    });
  });

  test("is recycled when its policy says so", async () => {
    await created(VOLUMES, volume("again", { storageClassName: "again", persistentVolumeReclaimPolicy: "Recycle" }));
    await created(CLAIMS, claim("first", { storageClassName: "again" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/first`)).toBe("Bound"));
    await call(api, "DELETE", `${CLAIMS}/first`);
    await eventually(async () => expect(await phaseOf(`${VOLUMES}/again`)).toBe("Available"));
    expect(object((await read(`${VOLUMES}/again`))["spec"])["claimRef"]).toBeUndefined();
  });
});

describe("a bound claim", () => {
  test("grows with its volume when it asks for more", async () => {
    await created(CLAIMS, claim("grows", { storageClassName: "fast" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/grows`)).toBe("Bound"));
    await merge(`${CLAIMS}/grows`, { spec: { resources: { requests: { storage: "3Gi" } } } });
    await eventually(async () => {
      expect(object((await read(`${CLAIMS}/grows`))["status"])["capacity"]).toEqual({ storage: "3Gi" });
    });
    const name = text(object((await read(`${CLAIMS}/grows`))["spec"])["volumeName"]);
    expect(object((await read(`${VOLUMES}/${name}`))["spec"])["capacity"]).toEqual({ storage: "3Gi" });
  });

  test("to a volume of another driver waits for an external resizer", async () => {
    await created(CLASSES, { metadata: { name: "own" }, provisioner: "example.com/disks", allowVolumeExpansion: true });
    await created(VOLUMES, volume("own", { storageClassName: "own" }));
    await created(CLAIMS, claim("stays", { storageClassName: "own" }));
    await eventually(async () => expect(await phaseOf(`${CLAIMS}/stays`)).toBe("Bound"));
    await merge(`${CLAIMS}/stays`, { spec: { resources: { requests: { storage: "3Gi" } } } });
    await eventually(async () => expect(await reasonsOf("stays")).toContain("ExternalExpanding"));
    expect(object((await read(`${CLAIMS}/stays`))["status"])["capacity"]).toEqual({ storage: "2Gi" });
  });
});

test("a VolumeAttributesClass cannot be deleted while a claim uses it", async () => {
  const path = "/apis/storage.k8s.io/v1/volumeattributesclasses";
  await created(path, { metadata: { name: "gold" }, driverName: "d", parameters: { iops: "9" } });
  await created(CLAIMS, claim("golden", { storageClassName: "", volumeAttributesClassName: "gold" }));
  await eventually(async () => {
    expect(object((await read(`${path}/gold`))["metadata"])["finalizers"]).toEqual(["kubernetes.io/vac-protection"]);
  });
  await call(api, "DELETE", `${path}/gold`);
  expect(object((await read(`${path}/gold`))["metadata"])["deletionTimestamp"]).toBeDefined();
  await call(api, "DELETE", `${CLAIMS}/golden`);
  await eventually(async () => expect((await call(api, "GET", `${path}/gold`)).status).toBe(404));
});

test("a CSI volume is attached to its pod's node, listed in the node's status, and detached with the pod", async () => {
  const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
  const csi = { driver: "disks.example.com", volumeHandle: "h" };
  const { hostPath: _, ...spec } = object(volume("disk")["spec"]);
  await created(VOLUMES, { metadata: { name: "disk" }, spec: { ...spec, csi, storageClassName: "csi" } } as JsonObject);
  await created(CLAIMS, claim("disk", { storageClassName: "csi" }));
  await created(PODS, { metadata: { name: "disk" }, spec: { ...mounting("disk"), terminationGracePeriodSeconds: 0 } });
  const name = await eventually(async () => {
    const [one] = objects((await call(api, "GET", attachments)).at("items"));
    expect(one?.["spec"]).toMatchObject({ attacher: csi.driver, source: { persistentVolumeName: "disk" } });
    return text(object(one?.["metadata"])["name"]);
  });
  await merge(`${attachments}/${name}/status`, { status: { attached: true } });
  await eventually(async () => {
    const node = await read("/api/v1/nodes/node-1");
    const shown = [{ name: "kubernetes.io/csi/disks.example.com^h", devicePath: "" }];
    expect(object(node["status"])["volumesAttached"]).toEqual(shown);
    expect(await reasonsOf("disk")).toContain("SuccessfulAttachVolume");
  });
  await call(api, "DELETE", `${PODS}/disk`);
  await eventually(async () => expect((await call(api, "GET", `${attachments}/${name}`)).status).toBe(404));
  expect(object((await read("/api/v1/nodes/node-1"))["status"])["volumesAttached"]).toBeUndefined();
});

test("a pod's ephemeral volume has a claim that is deleted with the pod", async () => {
  const template = { spec: object(claim("x", { storageClassName: "fast" })["spec"]) };
  const pod = mounting("x");
  const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: template } }];
  await created(PODS, { metadata: { name: "scratch" }, spec: { ...pod, volumes } } as JsonObject);
  await eventually(async () => expect(await phaseOf(`${CLAIMS}/scratch-data`)).toBe("Bound"));
  await call(api, "DELETE", `${PODS}/scratch?gracePeriodSeconds=0`);
  await eventually(async () => expect((await call(api, "GET", `${CLAIMS}/scratch-data`)).status).toBe(404));
});

const mounting = (claimName: string): JsonObject => ({
  containers: [{ name: "c", image: "busybox", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
});

describe("workloads with claims", () => {
  test("run as a StatefulSet with claim templates, a volume for each pod", async () => {
    const template = {
      metadata: { labels: { app: "db" } },
      spec: { containers: [{ name: "c", image: "db", volumeMounts: [{ name: "data", mountPath: "/data" }] }] },
    };
    const spec = {
      replicas: 2,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template,
      volumeClaimTemplates: [claim("data")],
    };
    await created("/apis/apps/v1/namespaces/default/statefulsets", { metadata: { name: "db" }, spec });
    await eventually(async () => {
      const set = await read("/apis/apps/v1/namespaces/default/statefulsets/db");
      expect(object(set["status"])["readyReplicas"]).toBe(2);
    });
    for (const name of ["data-db-0", "data-db-1"]) {
      await eventually(async () => expect(await phaseOf(`${CLAIMS}/${name}`)).toBe("Bound"));
    }
  });

  test("complete as a Job with a claim", async () => {
    await created(CLAIMS, claim("work"));
    const pod = mounting("work");
    const containers = objects(pod["containers"]).map((one) => ({ ...one, command: ["true"] }));
    const template = { spec: { ...pod, containers, restartPolicy: "Never" } };
    await created("/apis/batch/v1/namespaces/default/jobs", {
      metadata: { name: "work" },
      spec: { template },
    } as JsonObject);
    await eventually(async () => {
      expect(object((await read("/apis/batch/v1/namespaces/default/jobs/work"))["status"])["succeeded"]).toBe(1);
      expect(await phaseOf(`${CLAIMS}/work`)).toBe("Bound");
    });
  });
});
