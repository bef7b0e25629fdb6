import { describe, expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../src/api/types/core/v1.js";
import {
  awaitingProvisioner,
  boundClaim,
  boundVolume,
  claimInPhase,
  unboundVolume,
} from "../../../src/controllers/persistent-volume-binder/binding.js";
import { planReclaim, planVolume } from "../../../src/controllers/persistent-volume-binder/volume-sync.js";
import { waitsFor } from "../../../src/controllers/persistent-volume-binder/claim-sync.js";
import { fakeVolume, isLeft, wantsVolume } from "../../../src/controllers/volume-provisioner/volume-provisioner.js";
import { claimNamed, classNamed, volumeNamed } from "../../helpers/volume-objects.js";

const BY_CONTROLLER = { "pv.kubernetes.io/bound-by-controller": "yes" };
const COMPLETED = { "pv.kubernetes.io/bind-completed": "yes" };
const FAKE = "kubets.dev/fake";
const held = { claimRef: { namespace: "shop", name: "c", uid: "c-uid" } };
const reserved = { claimRef: { namespace: "shop", name: "c" } };

describe("the volume binder changes a volume", () => {
  test("that it chose by adding the claim's reference and its own mark", () => {
    const bound = boundVolume(volumeNamed("a"), claimNamed("c"));
    expect(bound.metadata?.annotations).toEqual(BY_CONTROLLER);
    expect(bound.spec?.claimRef).toEqual({
      kind: "PersistentVolumeClaim",
      namespace: "shop",
      name: "c",
      uid: "c-uid",
      apiVersion: "v1",
      resourceVersion: "7",
    });
  });

  test("that a user reserved by adding the claim's uid, without a mark", () => {
    const bound = boundVolume(volumeNamed("a", reserved), claimNamed("c"));
    expect(bound.metadata?.annotations).toBeUndefined();
    expect(bound.spec?.claimRef).toMatchObject({ name: "c", uid: "c-uid" });
  });

  test("that is already bound not at all", () => {
    const volume = volumeNamed("a", held);
    expect(boundVolume(volume, claimNamed("c"))).toBe(volume);
  });

  test("that it bound itself, when it unbinds it, without a trace", () => {
    const unbound = unboundVolume(volumeNamed("a", held, { annotations: BY_CONTROLLER }));
    expect(unbound).toEqual({ ...volumeNamed("a"), metadata: { name: "a", uid: "a-uid" } });
  });

  test("when it unbinds it, keeping other annotations", () => {
    const unbound = unboundVolume(volumeNamed("a", held, { annotations: { ...BY_CONTROLLER, note: "kept" } }));
    expect(unbound.metadata?.annotations).toEqual({ note: "kept" });
  });

  test("that a user reserved, when it unbinds it, leaving it reserved by name", () => {
    expect(unboundVolume(volumeNamed("a", held)).spec?.claimRef).toEqual({ namespace: "shop", name: "c" });
  });
});

describe("the volume binder changes a claim", () => {
  test("by naming the volume, with both marks when it chose the volume", () => {
    const bound = boundClaim(claimNamed("c"), volumeNamed("a"));
    expect(bound.spec?.volumeName).toBe("a");
    expect(bound.metadata?.annotations).toEqual({ ...BY_CONTROLLER, ...COMPLETED });
  });

  test("whose user chose the volume with one mark", () => {
    const bound = boundClaim(claimNamed("c", { volumeName: "a" }), volumeNamed("a"));
    expect(bound.metadata?.annotations).toEqual(COMPLETED);
  });

  test("that is already bound not at all", () => {
    const claim = claimNamed("c", { volumeName: "a" }, COMPLETED);
    expect(boundClaim(claim, volumeNamed("a"))).toBe(claim);
  });

  test("by naming the provisioner in both annotations", () => {
    const waiting = awaitingProvisioner(claimNamed("c"), "example.com/disks");
    expect(waiting.metadata?.annotations).toEqual({
      "volume.kubernetes.io/storage-provisioner": "example.com/disks",
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/disks",
    });
    expect(awaitingProvisioner(waiting, "example.com/disks")).toBe(waiting);
  });

  const size = { capacity: { storage: "5Gi" } };
  const withStatus = (status: NonNullable<PersistentVolumeClaim["status"]>) => ({ ...claimNamed("c"), status });

  test("that becomes bound by showing the volume's size and modes", () => {
    const bound = claimInPhase(
      claimNamed("c"),
      "Bound",
      volumeNamed("a", { ...size, volumeAttributesClassName: "gold" }),
    );
    expect(bound.status).toEqual({
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "5Gi" },
      currentVolumeAttributesClassName: "gold",
    });
  });

  test("that is bound without changing its size while the volume grows", () => {
    const claim = withStatus({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    expect(claimInPhase(claim, "Bound", volumeNamed("a", size))).toBe(claim);
  });

  test("that is lost by removing the size", () => {
    const claim = withStatus({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    expect(claimInPhase(claim, "Lost").status).toEqual({ phase: "Lost" });
  });

  test("that waits not at all", () => {
    const claim = claimNamed("c");
    expect(claimInPhase(claim, "Pending")).toBe(claim);
  });

  test("with an error for a volume without a size", () => {
    const volume = volumeNamed("a", { capacity: {} });
    expect(() => claimInPhase(claimNamed("c"), "Bound", volume)).toThrow(
      'PersistentVolume "a" is without a storage capacity',
    );
  });
});

describe("the volume binder's plan for a volume:", () => {
  const provisioned = { annotations: { "pv.kubernetes.io/provisioned-by": FAKE } };
  const rows: readonly [
    title: string,
    volume: PersistentVolume,
    claim: PersistentVolumeClaim | undefined,
    act: string,
  ][] = [
    ["that no claim has: offer it", volumeNamed("a"), undefined, "offer"],
    ["that is reserved by name: offer it", volumeNamed("a", reserved), claimNamed("c"), "offer"],
    ["whose claim names it: show it bound", volumeNamed("a", held), claimNamed("c", { volumeName: "a" }), "show-bound"],
    ["whose claim is unbound: wait for the claim", volumeNamed("a", held), claimNamed("c"), "wait-for-claim"],
    [
      "whose claim wants a device: report the modes",
      volumeNamed("a", held),
      claimNamed("c", { volumeMode: "Block" }),
      "report-mode",
    ],
    ["whose claim is gone: reclaim it", volumeNamed("a", held), undefined, "reclaim"],
    [
      "whose claim was made anew: reclaim it",
      volumeNamed("a", { claimRef: { ...held.claimRef, uid: "old" } }),
      claimNamed("c"),
      "reclaim",
    ],
    [
      "whose claim has another volume: unbind it",
      volumeNamed("a", held),
      claimNamed("c", { volumeName: "b" }),
      "unbind",
    ],
    [
      "that was made for a claim with another volume: delete it",
      volumeNamed("a", { ...held, persistentVolumeReclaimPolicy: "Delete" }, provisioned),
      claimNamed("c", { volumeName: "b" }),
      "reclaim",
    ],
    [
      "that was made, and is to be kept: unbind it",
      volumeNamed("a", held, provisioned),
      claimNamed("c", { volumeName: "b" }),
      "unbind",
    ],
  ];

  test.each(rows)("%s", (_title, volume, claim, act) => {
    expect(planVolume(volume, claim)).toEqual({ act });
  });
});

describe("the volume binder's plan for a released volume with the reclaim policy", () => {
  const fail = (reason: string, message: string) => ({ act: "fail", reason, message });
  const csi = { csi: { driver: "d", volumeHandle: "h" } };
  const without = (volume: PersistentVolume, spec: PersistentVolume["spec"]) => {
    const { hostPath: _, ...rest } = volume.spec ?? {};
    return { ...volume, spec: { ...rest, ...spec } };
  };
  const deleted = volumeNamed("a", { persistentVolumeReclaimPolicy: "Delete" });
  const rows: readonly [title: string, volume: PersistentVolume, plan: object][] = [
    ["Retain is kept", volumeNamed("a"), { act: "keep" }],
    [
      "Recycle is offered again when it is a folder",
      volumeNamed("a", { persistentVolumeReclaimPolicy: "Recycle" }),
      { act: "recycle" },
    ],
    [
      "Recycle is offered again when it is NFS",
      without(volumeNamed("a", { persistentVolumeReclaimPolicy: "Recycle" }), { nfs: { server: "s", path: "/" } }),
      { act: "recycle" },
    ],
    [
      "Recycle fails when it is CSI's",
      without(volumeNamed("a", { persistentVolumeReclaimPolicy: "Recycle" }), csi),
      fail("VolumeFailedRecycle", "No recycler plugin found for the volume!"),
    ],
    ["Delete goes when it is a folder of /tmp", deleted, { act: "delete" }],
    [
      "Delete fails for another folder",
      without(deleted, { hostPath: { path: "/data" } }),
      fail("VolumeFailedDelete", "host_path deleter only supports /tmp/.+ but received provided /data"),
    ],
    [
      "Delete fails for what no plugin can delete",
      without(deleted, csi),
      fail(
        "VolumeFailedDelete",
        'error getting deleter volume plugin for volume "a": no deletable volume plugin matched',
      ),
    ],
    [
      "Delete is left to the provisioner that made it",
      { ...deleted, metadata: { name: "a", annotations: { "pv.kubernetes.io/provisioned-by": FAKE } } },
      { act: "leave-to-provisioner" },
    ],
  ];

  test.each(rows)("%s", (_title, volume, plan) => {
    expect(planReclaim(volume)).toEqual(plan);
  });
});

describe("the event for a claim that waits for its first consumer:", () => {
  const pod = (name: string, nodeName?: string): Pod => ({
    metadata: { name },
    spec: { containers: [], ...(nodeName && { nodeName }) },
  });

  test.each([
    ["without pods", [], "WaitForFirstConsumer", "waiting for first consumer to be created before binding"],
    [
      "with a pod that has a node",
      [pod("a", "n")],
      "WaitForFirstConsumer",
      "waiting for first consumer to be created before binding",
    ],
    ["with a pod", [pod("a")], "WaitForPodScheduled", "waiting for pod a to be scheduled"],
    ["with pods", [pod("b"), pod("a"), pod("c", "n")], "WaitForPodScheduled", "waiting for pods a,b to be scheduled"],
  ] as const)("%s", (_title, pods, reason, message) => {
    expect(waitsFor(pods)).toEqual({ reason, message });
  });
});

describe("the built-in provisioner", () => {
  const called = { "volume.kubernetes.io/storage-provisioner": FAKE };
  const chosen = { ...called, "volume.kubernetes.io/selected-node": "node-1" };
  const atOnce = classNamed("fast", { provisioner: FAKE });
  const late = classNamed("standard", { provisioner: FAKE, volumeBindingMode: "WaitForFirstConsumer" });
  const gone = {
    ...claimNamed("c", {}, called),
    metadata: { ...claimNamed("c", {}, called).metadata, deletionTimestamp: "t" },
  };

  test.each([
    ["makes a volume for a claim that calls it", claimNamed("c", {}, called), atOnce, true],
    [
      "is called by the older annotation too",
      claimNamed("c", {}, { "volume.beta.kubernetes.io/storage-provisioner": FAKE }),
      atOnce,
      true,
    ],
    ["waits until the binder calls it", claimNamed("c"), atOnce, false],
    ["leaves claims of other provisioners", claimNamed("c", {}, called), classNamed("other"), false],
    ["leaves claims whose class is gone", claimNamed("c", {}, called), undefined, false],
    ["leaves claims with a volume", claimNamed("c", { volumeName: "a" }, called), atOnce, false],
    ["leaves claims that are being deleted", gone, atOnce, false],
    ["waits for the scheduler's choice", claimNamed("c", {}, called), late, false],
    ["makes a volume on the chosen node", claimNamed("c", {}, chosen), late, true],
  ] as const)("%s", (_title, claim, storageClass, wants) => {
    expect(wantsVolume(claim, storageClass)).toBe(wants);
  });

  test("creates a volume with the claim's size, class and node", () => {
    const node = { metadata: { name: "node-1", labels: { "kubernetes.io/hostname": "host-1" } } };
    const volume = fakeVolume(claimNamed("c"), late, node);
    expect(volume.metadata).toEqual({ name: "pvc-c-uid", annotations: { "pv.kubernetes.io/provisioned-by": FAKE } });
    expect(volume.spec).toMatchObject({
      capacity: { storage: "1Gi" },
      storageClassName: "standard",
      persistentVolumeReclaimPolicy: "Delete",
      claimRef: { name: "c", uid: "c-uid" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["host-1"] }] },
          ],
        },
      },
    });
  });

  test("creates a volume for many nodes without a node", () => {
    const shared = claimNamed("c", { accessModes: ["ReadWriteMany"] });
    expect(fakeVolume(shared, late, { metadata: { name: "node-1" } }).spec?.nodeAffinity).toBeUndefined();
  });

  const made = { annotations: { "pv.kubernetes.io/provisioned-by": FAKE } };
  const released = (spec: PersistentVolume["spec"], metadata: PersistentVolume["metadata"]) => ({
    ...volumeNamed("a", spec, metadata),
    status: { phase: "Released" as const },
  });
  test.each([
    ["deletes a released volume of its own", released({ persistentVolumeReclaimPolicy: "Delete" }, made), true],
    ["keeps one with the policy Retain", released({}, made), false],
    ["keeps one that another program made", released({ persistentVolumeReclaimPolicy: "Delete" }, {}), false],
    ["keeps one that is in use", volumeNamed("a", { persistentVolumeReclaimPolicy: "Delete" }, made), false],
  ] as const)("%s", (_title, volume, left) => {
    expect(isLeft(volume)).toBe(left);
  });
});
