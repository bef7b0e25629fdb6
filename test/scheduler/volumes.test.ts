import { describe, expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "../../src/api/types/core/v1.js";
import type { SchedulerCache } from "../../src/scheduler/cache/scheduler-cache.js";
import type { SchedulerHandle } from "../../src/scheduler/framework/plugin.js";
import type { ApiObject } from "../../src/machinery/meta/object.js";
import { nodeVolumeLimits } from "../../src/scheduler/plugins/volumes/node-volume-limits.js";
import { volumeBinding } from "../../src/scheduler/plugins/volumes/volume-binding.js";
import { volumeRestrictions } from "../../src/scheduler/plugins/volumes/volume-restrictions.js";
import { volumeZone } from "../../src/scheduler/plugins/volumes/volume-zone.js";
import { cacheOf, following, node, placed, pod, type PodShape } from "./cluster-state.js";

type Objects = Readonly<Record<string, readonly ApiObject[]>>;

const uses = (name: string, claims: readonly string[], shape: PodShape = {}): Pod =>
  pod(name, {
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    ...shape,
  });

interface ClaimShape {
  readonly volume?: string;
  readonly storageClass?: string;
  readonly modes?: NonNullable<NonNullable<PersistentVolumeClaim["spec"]>["accessModes"]>;
  readonly size?: string;
  readonly phase?: "Lost";
  readonly deleted?: boolean;
  readonly selectedNode?: string;
}

function claim(name: string, shape: ClaimShape = {}): PersistentVolumeClaim {
  const { volume, storageClass, modes = ["ReadWriteOnce"], size = "1Gi", phase, deleted, selectedNode } = shape;
  return {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      annotations: {
        ...(volume !== undefined && { "pv.kubernetes.io/bind-completed": "yes" }),
        ...(selectedNode !== undefined && { "volume.kubernetes.io/selected-node": selectedNode }),
      },
    },
    spec: {
      accessModes: modes,
      resources: { requests: { storage: size } },
      ...(volume !== undefined && { volumeName: volume }),
      ...(storageClass !== undefined && { storageClassName: storageClass }),
    },
    ...(phase && { status: { phase } }),
  };
}

interface VolumeShape {
  readonly on?: string;
  readonly size?: string;
  readonly storageClass?: string;
  readonly labels?: Record<string, string>;
  readonly claimed?: string;
  readonly csi?: string;
  readonly phase?: "Available" | "Released";
}

function volume(name: string, shape: VolumeShape = {}): PersistentVolume {
  const { on, size = "1Gi", storageClass, labels, claimed, csi, phase = "Available" } = shape;
  return {
    metadata: { name, ...(labels && { labels }) },
    spec: {
      capacity: { storage: size },
      accessModes: ["ReadWriteOnce"],
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      ...(claimed !== undefined && { claimRef: { namespace: "default", name: claimed } }),
      ...(csi !== undefined && { csi: { driver: csi, volumeHandle: name } }),
      ...(on !== undefined && {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [on] }] },
            ],
          },
        },
      }),
    },
    status: { phase },
  };
}

const storageClass = (name: string, more: object = {}): ApiObject =>
  ({
    metadata: { name },
    provisioner: "example.com/disk",
    volumeBindingMode: "WaitForFirstConsumer",
    ...more,
  }) as ApiObject;
const late = storageClass("late");
const byHand = storageClass("by-hand", { provisioner: "kubernetes.io/no-provisioner" });
const immediate = storageClass("now", { volumeBindingMode: "Immediate" });
const nodes = (): SchedulerCache => cacheOf([node("a"), node("b")]);
const none = (reason: string): string => `0/2 nodes are available: ${reason}.`;

describe("the scheduler plugin VolumeBinding filters nodes:", () => {
  const NO_MATCH = "node(s) didn't find available persistent volumes to bind";
  const OTHER_NODE = "node(s) didn't match PersistentVolume's node affinity";
  test.each<[string, Objects, string]>([
    ["a claim that does not exist", {}, none('persistentvolumeclaim "data" not found')],
    [
      "a lost claim",
      { PersistentVolumeClaim: [claim("data", { volume: "v", phase: "Lost" })] },
      none('persistentvolumeclaim "data" bound to non-existent persistentvolume "v"'),
    ],
    [
      "a claim that is being deleted",
      { PersistentVolumeClaim: [claim("data", { deleted: true })] },
      none('persistentvolumeclaim "data" is being deleted'),
    ],
    [
      "a claim that should be bound already",
      { PersistentVolumeClaim: [claim("data", { storageClass: "now" })], StorageClass: [immediate] },
      none("pod has unbound immediate PersistentVolumeClaims"),
    ],
    [
      "a claim without a class that is not bound",
      { PersistentVolumeClaim: [claim("data")] },
      none("pod has unbound immediate PersistentVolumeClaims"),
    ],
    [
      "a bound claim whose volume is on a node",
      { PersistentVolumeClaim: [claim("data", { volume: "v" })], PersistentVolume: [volume("v", { on: "b" })] },
      "b",
    ],
    [
      "a bound claim whose volume is on another node",
      { PersistentVolumeClaim: [claim("data", { volume: "v" })], PersistentVolume: [volume("v", { on: "c" })] },
      none(`2 ${OTHER_NODE}`),
    ],
    [
      "a bound claim whose volume is gone",
      { PersistentVolumeClaim: [claim("data", { volume: "v" })] },
      none("2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
    ],
    [
      "an unbound claim with a free volume on one node",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })],
        PersistentVolume: [volume("v", { on: "b", storageClass: "by-hand" })],
        StorageClass: [byHand],
      },
      "b",
    ],
    [
      "an unbound claim without a volume that fits",
      { PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })], StorageClass: [byHand] },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume that is too small",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand", size: "2Gi" })],
        PersistentVolume: [volume("v", { storageClass: "by-hand" })],
        StorageClass: [byHand],
      },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume of another class",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })],
        PersistentVolume: [volume("v")],
        StorageClass: [byHand],
      },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume that was released",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })],
        PersistentVolume: [volume("v", { storageClass: "by-hand", phase: "Released" })],
        StorageClass: [byHand],
      },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume without the access mode",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand", modes: ["ReadWriteMany"] })],
        PersistentVolume: [volume("v", { storageClass: "by-hand" })],
        StorageClass: [byHand],
      },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume that is kept for another claim",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })],
        PersistentVolume: [volume("v", { storageClass: "by-hand", claimed: "other" })],
        StorageClass: [byHand],
      },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a volume that is kept for this claim",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "by-hand" })],
        PersistentVolume: [volume("v", { on: "b", claimed: "data" })],
        StorageClass: [byHand],
      },
      "b",
    ],
    [
      "a class whose provisioner makes volumes on allowed nodes",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "late" })],
        StorageClass: [
          storageClass("late", {
            allowedTopologies: [{ matchLabelExpressions: [{ key: "kubernetes.io/hostname", values: ["b"] }] }],
          }),
        ],
      },
      "b",
    ],
    [
      "a claim whose volume is made for a node already",
      { PersistentVolumeClaim: [claim("data", { storageClass: "late", selectedNode: "b" })], StorageClass: [late] },
      "b",
    ],
    [
      "a claim whose volume is made for a node that is gone",
      { PersistentVolumeClaim: [claim("data", { storageClass: "late", selectedNode: "c" })], StorageClass: [late] },
      none(`2 ${NO_MATCH}`),
    ],
    [
      "a driver without capacity",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "late" })],
        StorageClass: [late],
        CSIDriver: [{ metadata: { name: "example.com/disk" }, spec: { storageCapacity: true } } as ApiObject],
      },
      none("2 node(s) did not have enough free storage"),
    ],
    [
      "a driver with capacity on one node",
      {
        PersistentVolumeClaim: [claim("data", { storageClass: "late", size: "5Gi" })],
        StorageClass: [late],
        CSIDriver: [{ metadata: { name: "example.com/disk" }, spec: { storageCapacity: true } } as ApiObject],
        CSIStorageCapacity: ["a", "b"].map(
          (on, index) =>
            ({
              metadata: { name: on, namespace: "x" },
              storageClassName: "late",
              capacity: `${index * 10}Gi`,
              nodeTopology: { matchLabels: { "kubernetes.io/hostname": on } },
            }) as ApiObject,
        ),
      },
      "b",
    ],
  ])("%s", (_title, objects, expected) => {
    const handle = { kinds: following(objects) } as unknown as SchedulerHandle;
    expect(placed([volumeBinding(handle)], nodes(), uses("p", ["data"]))).toBe(expected);
  });

  test("two claims of a pod take two volumes of a node", () => {
    const objects: Objects = {
      PersistentVolumeClaim: ["one", "two"].map((name) => claim(name, { storageClass: "by-hand" })),
      PersistentVolume: [
        volume("big", { size: "9Gi", storageClass: "by-hand", on: "a" }),
        volume("small", { storageClass: "by-hand", on: "a" }),
      ],
      StorageClass: [byHand],
    };
    const handle = { kinds: following(objects) } as unknown as SchedulerHandle;
    expect(placed([volumeBinding(handle)], nodes(), uses("p", ["one", "two"]))).toBe("a");
  });

  test("an ephemeral volume waits for its claim", () => {
    const handle = { kinds: following() } as unknown as SchedulerHandle;
    const scratch = pod("p", { volumes: [{ name: "scratch", ephemeral: {} }] as Volume[] });
    expect(placed([volumeBinding(handle)], nodes(), scratch)).toBe(
      none('waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'),
    );
  });
});

describe("the scheduler plugin VolumeZone filters nodes:", () => {
  const zone = "topology.kubernetes.io/zone";
  const zoned = (): SchedulerCache =>
    cacheOf([node("a", { labels: { [zone]: "z1" } }), node("b", { labels: { [zone]: "z2" } })]);
  const bound = (labels: Record<string, string>): Objects => ({
    PersistentVolumeClaim: [claim("data", { volume: "v" })],
    PersistentVolume: [volume("v", { labels })],
  });
  const REJECTED = none("2 node(s) had no available volume zone");
  test.each<[string, Objects, SchedulerCache, string]>([
    ["a volume in a zone", bound({ [zone]: "z2" }), zoned(), "b"],
    ["a volume in several zones", bound({ [zone]: "z0__z1" }), zoned(), "a"],
    ["a volume in another zone", bound({ [zone]: "z9" }), zoned(), REJECTED],
    ["a volume with the label's older name", bound({ "failure-domain.beta.kubernetes.io/zone": "z2" }), zoned(), "b"],
    ["nodes without zones", bound({ [zone]: "z9" }), cacheOf([node("a")]), "a"],
    ["a region that nodes do not say", bound({ "topology.kubernetes.io/region": "r" }), zoned(), REJECTED],
    [
      "a claim that waits for its pod",
      { PersistentVolumeClaim: [claim("data", { storageClass: "late" })], StorageClass: [late] },
      cacheOf([node("a")]),
      "a",
    ],
    [
      "a claim without volume and class",
      { PersistentVolumeClaim: [claim("data")] },
      zoned(),
      none("PersistentVolumeClaim had no pv name and storageClass name"),
    ],
    [
      "a claim of a class that binds at once",
      { PersistentVolumeClaim: [claim("data", { storageClass: "now" })], StorageClass: [immediate] },
      zoned(),
      none("PersistentVolume had no name"),
    ],
  ])("%s", (_title, objects, cache, expected) => {
    expect(placed([volumeZone({ kinds: following(objects) })], cache, uses("p", ["data"]))).toBe(expected);
  });
});

describe("the scheduler plugin VolumeRestrictions filters nodes:", () => {
  const alone: Objects = { PersistentVolumeClaim: [claim("data", { modes: ["ReadWriteOncePod"] })] };
  const ONE_POD = none(
    "2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
  );
  test.each<[string, Objects, Pod[], string]>([
    ["a claim for one pod that no other uses", alone, [], "a|b"],
    ["a claim for one pod that another uses", alone, [uses("old", ["data"], { nodeName: "a" })], ONE_POD],
    [
      "a claim for many that another uses",
      { PersistentVolumeClaim: [claim("data")] },
      [uses("old", ["data"], { nodeName: "a" })],
      "a|b",
    ],
  ])("%s", (_title, objects, pods, expected) => {
    const cache = cacheOf([node("a"), node("b")], pods);
    expect(expected.split("|")).toContain(
      placed([volumeRestrictions({ kinds: following(objects) })], cache, uses("p", ["data"])),
    );
  });

  const gce = (readOnly = false): Volume => ({ name: "d", gcePersistentDisk: { pdName: "disk", readOnly } }) as Volume;
  const aws = (readOnly = false): Volume =>
    ({ name: "d", awsElasticBlockStore: { volumeID: "disk", readOnly } }) as Volume;
  const rbd = (monitors: string[], readOnly = false): Volume =>
    ({ name: "d", rbd: { monitors, image: "i", pool: "p", readOnly } }) as Volume;
  const iscsi = (readOnly = false): Volume =>
    ({ name: "d", iscsi: { targetPortal: "t", iqn: "q", lun: 0, readOnly } }) as Volume;
  test.each<[string, Volume, Volume, boolean]>([
    ["a GCE disk that is written", gce(), gce(), false],
    ["a GCE disk that both read", gce(true), gce(true), true],
    ["an EBS volume, also to be read", aws(true), aws(true), false],
    ["an iSCSI disk that one writes", iscsi(true), iscsi(), false],
    ["an iSCSI disk that both read", iscsi(true), iscsi(true), true],
    ["an RBD image on a common monitor", rbd(["m1", "m2"]), rbd(["m2"]), false],
    ["an RBD image on other monitors", rbd(["m1"]), rbd(["m2"]), true],
    ["disks of two kinds", gce(), aws(), true],
  ])("%s", (_title, taken, wanted, fits) => {
    const cache = cacheOf([node("a")], [pod("old", { nodeName: "a", volumes: [taken] })]);
    const found = placed([volumeRestrictions({ kinds: following() })], cache, pod("p", { volumes: [wanted] }));
    expect(found).toBe(fits ? "a" : "0/1 nodes are available: 1 node(s) had no available disk.");
  });
});

describe("the scheduler plugin NodeVolumeLimits filters nodes:", () => {
  const limit = (count: number): ApiObject =>
    ({
      metadata: { name: "a" },
      spec: { drivers: [{ name: "csi.example.com", nodeID: "a", allocatable: { count } }] },
    }) as ApiObject;
  const volumes = ["v1", "v2"].map((name) => volume(name, { csi: "csi.example.com" }));
  const claims = [claim("c1", { volume: "v1" }), claim("c2", { volume: "v2" }), claim("c3", { storageClass: "csi" })];
  const csi = storageClass("csi", { provisioner: "csi.example.com" });
  const EXCEEDED = "0/1 nodes are available: 1 node(s) exceed max volume count.";
  test.each<[string, ApiObject[], string[], string[], string]>([
    ["a node without limits", [], ["c1"], ["c2"], "a"],
    ["room for one more", [limit(2)], ["c1"], ["c2"], "a"],
    ["no room for one more", [limit(1)], ["c1"], ["c2"], EXCEEDED],
    ["a volume that is attached already", [limit(1)], ["c1"], ["c1"], "a"],
    ["two volumes where one fits", [limit(1)], [], ["c1", "c2"], EXCEEDED],
    ["a volume that is still to be made", [limit(1)], ["c1"], ["c3"], EXCEEDED],
  ])("%s", (_title, csiNodes, taken, wanted, expected) => {
    const kinds = following({
      CSINode: csiNodes,
      PersistentVolume: volumes,
      PersistentVolumeClaim: claims,
      StorageClass: [csi],
    });
    const cache = cacheOf([node("a")], [uses("old", taken, { nodeName: "a" })]);
    expect(placed([nodeVolumeLimits({ kinds })], cache, uses("p", wanted))).toBe(expected);
  });
});
