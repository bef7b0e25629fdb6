import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { processLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const DEFAULT = "/api/v1/namespaces/default";
const PODS = `${DEFAULT}/pods`;
const CLAIMS = `${DEFAULT}/persistentvolumeclaims`;
const VOLUMES = "/api/v1/persistentvolumes";

let cluster: Cluster;
let api: Transport;
let before: number;

beforeAll(async () => {
  before = processLimits.volumes.used;
  cluster = await startCluster({ port: false, nodes: 2 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200));
});
afterAll(() => cluster.close());

async function create(path: string, body: object): Promise<void> {
  const answer = await call(api, "POST", path, body as JsonObject);
  expect(answer.status, answer.text).toBe(201);
}

const claim = (name: string, spec: object = {}) =>
  create(CLAIMS, {
    metadata: { name },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Mi" } }, ...spec },
  });

/** A pod that runs a script once, with one volume at /data. */
const createPod = (name: string, script: string, volume: object, spec: object = {}) =>
  create(PODS, {
    metadata: { name },
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "c", ...running(script) }],
      volumes: [{ name: "data", ...volume }],
      ...spec,
    },
  });

const running = (script: string) => ({
  image: "busybox",
  command: ["sh", "-c", script],
  volumeMounts: [{ name: "data", mountPath: "/data" }],
});
const ofClaim = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const on = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node } });

const becomes = (path: string, at: string, value: unknown) =>
  eventually(async () => expect((await call(api, "GET", path)).at(at)).toEqual(value));
const ends = (name: string, phase = "Succeeded") => becomes(`${PODS}/${name}`, "status.phase", phase);
const logOf = async (name: string) => (await call(api, "GET", `${PODS}/${name}/log`)).text;
const isGone = (path: string) => eventually(async () => expect((await call(api, "GET", path)).status).toBe(404));

async function remove(path: string): Promise<void> {
  await call(api, "DELETE", path);
  await isGone(path);
}

/** What the kubelet says of a pod's volumes. */
async function failures(name: string): Promise<readonly string[]> {
  const selector = `fieldSelector=involvedObject.name%3D${name},reason%3DFailedMount`;
  const events = await call(api, "GET", `${DEFAULT}/events?${selector}`);
  return objects(events.at("items")).map((event) => text(event.message));
}

const failsToMount = (name: string, message: string) =>
  eventually(async () => expect(await failures(name)).toEqual([message]));

const notProcessed = (problem: string): string =>
  `Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/${problem}`;

describe("the files of a PersistentVolume", () => {
  test("are kept for a later pod on another node, up to the volume's size, and deleted with the volume", async () => {
    await claim("kept");
    await createPod(
      "writer",
      "echo from-$HOSTNAME > /data/a; head -c 2M /dev/zero > /data/b",
      ofClaim("kept"),
      on("node-1"),
    );
    await ends("writer", "Failed");
    expect(await logOf("writer")).toContain("No space left on device");
    await remove(`${PODS}/writer`);
    await createPod("reader", "cat /data/a", ofClaim("kept"), on("node-2"));
    await ends("reader");
    expect(await logOf("reader")).toBe("from-writer\n");
    expect(processLimits.volumes.used).toBeGreaterThan(before);
    await remove(`${PODS}/reader`);
    await remove(`${CLAIMS}/kept`);
    await eventually(() => expect(processLimits.volumes.used).toBe(before));
  });

  test("exist for an ephemeral volume by its own claim", async () => {
    const volumeClaimTemplate = {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    };
    await createPod("scratch", "echo x > /data/a; cat /data/a", { ephemeral: { volumeClaimTemplate } });
    await ends("scratch");
    expect(await logOf("scratch")).toBe("x\n");
  });

  test("are not mounted when the claim is missing, unbound, or not the pod's own", async () => {
    const nodeName = { nodeName: "node-1" };
    await createPod("missing", "true", ofClaim("none"), nodeName);
    await failsToMount(
      "missing",
      notProcessed('none: failed to fetch PVC from API server: persistentvolumeclaims "none" not found'),
    );
    await claim("unbound", { storageClassName: "none" });
    await createPod("unbound", "true", ofClaim("unbound"), nodeName);
    await failsToMount("unbound", notProcessed("unbound: PVC is not bound"));
    await claim("owned-data", { storageClassName: "none" });
    await createPod(
      "owned",
      "true",
      {
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
          },
        },
      },
      nodeName,
    );
    await failsToMount(
      "owned",
      notProcessed("owned-data: PVC default/owned-data was not created for pod default/owned (pod is not owner)"),
    );
  });

  test("are not mounted when the claim names another claim's volume", async () => {
    const capacity = { storage: "1Mi" };
    const accessModes = ["ReadWriteMany"];
    await create(VOLUMES, {
      metadata: { name: "taken" },
      spec: {
        capacity,
        accessModes,
        storageClassName: "none",
        hostPath: { path: "/x" },
        claimRef: { namespace: "other", name: "c", uid: "other-uid" },
      },
    });
    await claim("thief", { storageClassName: "none", volumeName: "taken" });
    const uid = text((await call(api, "GET", `${CLAIMS}/thief`)).at("metadata.uid"));
    const problem = `found PV object taken but its pv.Spec.ClaimRef.UID other-uid does not point to claim.UID ${uid}`;
    await createPod("thief", "ls /data", ofClaim("thief"), { nodeName: "node-1" });
    await eventually(async () => {
      // The binder finds out that it is not.
      const status = { phase: "Bound", capacity, accessModes };
      await call(api, "PATCH", `${CLAIMS}/thief/status`, { status }, { type: "application/merge-patch+json" });
      expect(await failures("thief")).toContain(notProcessed(`thief: ${problem}`));
    });
  });
});

describe("an emptyDir of a pod", () => {
  test("passes files from init containers to the pod's containers, over all restarts", async () => {
    await createPod(
      "shared",
      "cat /data/a; echo main >> /data/a; [ $(wc -l < /data/a) = 3 ]",
      { emptyDir: {} },
      {
        restartPolicy: "OnFailure",
        initContainers: [{ name: "init", ...running("echo init > /data/a") }],
      },
    );
    await ends("shared");
    expect(await logOf("shared")).toBe("init\nmain\n");
  });
});

test("a hostPath of a wrong type keeps its pod waiting, with the kubelet's message", async () => {
  const nodeName = { nodeName: "node-1" };
  await createPod("makes", "true", { hostPath: { path: "/run/x.lock", type: "FileOrCreate" } }, nodeName);
  await ends("makes");
  await createPod("expects", "true", { hostPath: { path: "/run/x.lock", type: "Directory" } }, nodeName);
  const problem = "hostPath type check failed: /run/x.lock is not a directory";
  await failsToMount("expects", `MountVolume.SetUp failed for volume "data" : ${problem}`);
});

test("a subPathExpr without a value keeps its container waiting, with the kubelet's message", async () => {
  const mount = { name: "data", mountPath: "/data", subPathExpr: "$(NONE)" };
  await createPod(
    "pathless",
    "true",
    { emptyDir: {} },
    {
      containers: [{ name: "c", image: "busybox", command: ["true"], volumeMounts: [mount] }],
    },
  );
  const reason = "CreateContainerConfigError";
  await becomes(`${PODS}/pathless`, "status.containerStatuses.0.state.waiting", {
    reason,
    message: "missing value for NONE",
  });
});
