import { describe, expect, test } from "vitest";
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  Pod,
  Volume,
} from "../../../src/api/types/core/v1.js";
import {
  attributesClassesOfClaim,
  attributesClassesOfVolume,
} from "../../../src/controllers/attributes-class-protection/attributes-class-protection.js";
import { ephemeralClaim, foreignClaim } from "../../../src/controllers/ephemeral-volume/ephemeral-volume-controller.js";
import {
  grownClaim,
  grownVolume,
  isOwnVolume,
  wantsToGrow,
} from "../../../src/controllers/volume-expander/volume-expander.js";
import { claimNamed, volumeNamed } from "../../helpers/volume-objects.js";

const asks = (storage: string) => ({ resources: { requests: { storage } } });
const bound = (request: string, status: PersistentVolumeClaimStatus = {}): PersistentVolumeClaim => ({
  ...claimNamed("c", { volumeName: "a", ...asks(request) }),
  status: { phase: "Bound", capacity: { storage: "1Gi" }, ...status },
});

describe("a bound claim is expanded", () => {
  test.each([
    ["when it asks for more than it has", bound("2Gi"), true],
    ["not when it has what it asks for", bound("1Gi"), false],
    ["not when the same size is written otherwise", bound("1024Mi"), false],
    ["not when it has more", bound("1Gi", { capacity: { storage: "5Gi" } }), false],
    ["not before it is bound", { ...bound("2Gi"), status: { phase: "Pending" as const } }, false],
    ["not when it is lost", bound("2Gi", { phase: "Lost" }), false],
    ["not before its size is known", { ...bound("2Gi"), status: { phase: "Bound" as const } }, false],
  ])("%s", (_title, claim, grows) => {
    expect(wantsToGrow(claim)).toBe(grows);
  });

  test("together with its volume", () => {
    expect(grownVolume(volumeNamed("a"), bound("3Gi")).spec?.capacity).toEqual({ storage: "3Gi" });
  });

  test("without a change of the volume when that is large enough", () => {
    const volume = volumeNamed("a", { capacity: { storage: "4Gi" } });
    expect(grownVolume(volume, bound("3Gi"))).toBe(volume);
  });

  test("and at the end loses all fields of the resize", () => {
    const resizing = { type: "Resizing", status: "True" } as const;
    const other = { type: "ModifyingVolume", status: "True" } as const;
    const claim = bound("3Gi", {
      conditions: [resizing, other],
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    });
    expect(grownClaim(claim, volumeNamed("a", { capacity: { storage: "3Gi" } })).status).toEqual({
      phase: "Bound",
      conditions: [other],
      capacity: { storage: "3Gi" },
      allocatedResources: { storage: "3Gi" },
    });
  });

  test.each([
    ["the cluster's own", { "pv.kubernetes.io/provisioned-by": "kubets.dev/fake" }, true],
    ["another program's", { "pv.kubernetes.io/provisioned-by": "example.com/disks" }, false],
    ["a user's", {}, false],
  ])("by the cluster itself, unless the volume is not %s: %s", (_title, annotations, own) => {
    expect(isOwnVolume(volumeNamed("a", {}, { annotations }))).toBe(own);
  });
});

describe("the claim that the controller makes for an ephemeral volume", () => {
  const pod: Pod = { metadata: { name: "web", namespace: "shop", uid: "web-uid" } };
  const volume: Volume = {
    name: "scratch",
    ephemeral: {
      volumeClaimTemplate: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: { ...asks("1Gi") } },
    },
  };
  const owner = {
    apiVersion: "v1",
    kind: "Pod",
    name: "web",
    uid: "web-uid",
    controller: true,
    blockOwnerDeletion: true,
  };

  test("has the pod's name, the template's labels and annotations, and the pod as its controller", () => {
    expect(ephemeralClaim(pod, volume)).toEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace: "shop",
        name: "web-scratch",
        labels: { a: "b" },
        annotations: { c: "d" },
        ownerReferences: [owner],
      },
      spec: asks("1Gi"),
    });
  });

  const claim = claimNamed("web-scratch");
  const foreign = "PVC shop/web-scratch was not created for pod shop/web (pod is not owner)";
  test.each([
    ["the pod's", { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } }, undefined],
    ["a user's", claim, foreign],
    [
      "an earlier pod's",
      { ...claim, metadata: { ...claim.metadata, ownerReferences: [{ ...owner, uid: "x" }] } },
      foreign,
    ],
    [
      "owned and not controlled",
      { ...claim, metadata: { ...claim.metadata, ownerReferences: [{ ...owner, controller: false }] } },
      foreign,
    ],
  ])("is used when an existing one is %s", (_title, found, reason) => {
    expect(foreignClaim(pod, found)).toBe(reason);
  });
});

describe("a VolumeAttributesClass counts as in use by", () => {
  const of = (spec: PersistentVolumeClaim["spec"], status: PersistentVolumeClaim["status"]) => ({
    ...claimNamed("c", spec),
    status: status ?? {},
  });
  test.each([
    ["no claim without one", of({}, {}), []],
    ["a claim that asks for it", of({ volumeAttributesClassName: "gold" }, {}), ["gold"]],
    ["a claim that has it", of({}, { currentVolumeAttributesClassName: "gold" }), ["gold"]],
    [
      "a claim that is on the way to it",
      of({}, { modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "gold" } }),
      ["gold"],
    ],
    [
      "a claim that changes from one to the other",
      of({ volumeAttributesClassName: "gold" }, { currentVolumeAttributesClassName: "iron" }),
      ["gold", "iron"],
    ],
    [
      "a claim, once",
      of({ volumeAttributesClassName: "gold" }, { currentVolumeAttributesClassName: "gold" }),
      ["gold"],
    ],
  ] as const)("%s", (_title, claim, names) => {
    expect(attributesClassesOfClaim(claim)).toEqual(names);
  });

  test("a volume that has it", () => {
    expect(attributesClassesOfVolume(volumeNamed("a", { volumeAttributesClassName: "gold" }))).toEqual(["gold"]);
    expect(attributesClassesOfVolume(volumeNamed("a"))).toEqual([]);
  });
});
