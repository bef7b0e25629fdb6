import { describe, expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../src/api/types/core/v1.js";
import { defaultStorageClass, namesStorageClass, storageClassOf } from "../../../src/api/volumes/claims.js";
import { bestVolumeFor, isBoundTo, type MatchOptions, mismatch } from "../../../src/api/volumes/volume-match.js";
import { claimNamed, classNamed, volumeNamed } from "../../helpers/volume-objects.js";

const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";
const size = (storage: string) => ({ capacity: { storage } });
const asks = (storage: string) => ({ resources: { requests: { storage } } });
const reference = (name: string, uid?: string) => ({ claimRef: { namespace: "shop", name, ...(uid && { uid }) } });
const labelled = (name: string, labels: Record<string, string>) => volumeNamed(name, {}, { labels });
const inPhase = (phase: "Pending" | "Released" | "Failed") => ({ ...volumeNamed("a"), status: { phase } });

describe("the volume that the binder chooses for a claim is", () => {
  const rows: readonly [
    title: string,
    claim: PersistentVolumeClaim,
    volumes: readonly PersistentVolume[],
    best: string | undefined,
    options?: MatchOptions,
  ][] = [
    ["none where there are none", claimNamed("c"), [], undefined],
    ["one of the same size", claimNamed("c"), [volumeNamed("a")], "a"],
    ["the same size, written otherwise", claimNamed("c", asks("1024Mi")), [volumeNamed("a")], "a"],
    ["a larger one", claimNamed("c"), [volumeNamed("a", size("5Gi"))], "a"],
    ["never a smaller one", claimNamed("c"), [volumeNamed("a", size("1023Mi"))], undefined],
    [
      "the smallest that is large enough",
      claimNamed("c", asks("2Gi")),
      [volumeNamed("a", size("9Gi")), volumeNamed("b", size("1Gi")), volumeNamed("z", size("3Gi"))],
      "z",
    ],
    ["of equal ones the first by name", claimNamed("c"), [volumeNamed("b"), volumeNamed("a")], "a"],
    [
      "one with more access modes",
      claimNamed("c"),
      [volumeNamed("a", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] })],
      "a",
    ],
    [
      "never one without the access mode",
      claimNamed("c", { accessModes: ["ReadWriteMany"] }),
      [volumeNamed("a")],
      undefined,
    ],
    [
      "the one with the fewest access modes, even if it is larger",
      claimNamed("c"),
      [volumeNamed("a", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }), volumeNamed("b", size("8Gi"))],
      "b",
    ],
    [
      "one with all modes, of a claim with two",
      claimNamed("c", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }),
      [volumeNamed("a"), volumeNamed("b", { accessModes: ["ReadOnlyMany", "ReadWriteOnce"] })],
      "b",
    ],
    [
      "one of the claim's class",
      claimNamed("c", { storageClassName: "fast" }),
      [volumeNamed("a"), volumeNamed("b", { storageClassName: "fast" })],
      "b",
    ],
    [
      "never one with a class for a claim without",
      claimNamed("c"),
      [volumeNamed("a", { storageClassName: "fast" })],
      undefined,
    ],
    ['one without a class for a claim of class ""', claimNamed("c", { storageClassName: "" }), [volumeNamed("a")], "a"],
    [
      "of the class that the old annotation names",
      claimNamed("c", { storageClassName: "slow" }, { [OLD_CLASS]: "fast" }),
      [volumeNamed("a", { storageClassName: "slow" }), volumeNamed("b", { storageClassName: "fast" })],
      "b",
    ],
    [
      "one whose labels the selector selects",
      claimNamed("c", { selector: { matchLabels: { tier: "db" } } }),
      [labelled("a", { tier: "web" }), labelled("b", { tier: "db" })],
      "b",
    ],
    [
      "one that an expression selects",
      claimNamed("c", { selector: { matchExpressions: [{ key: "tier", operator: "Exists" }] } }),
      [volumeNamed("a"), labelled("b", { tier: "db" })],
      "b",
    ],
    ["any where the selector is empty", claimNamed("c", { selector: {} }), [volumeNamed("a")], "a"],
    [
      "never one that another claim has",
      claimNamed("c"),
      [volumeNamed("a", reference("other", "other-uid"))],
      undefined,
    ],
    [
      "never one that is reserved for another claim",
      claimNamed("c"),
      [volumeNamed("a", reference("other"))],
      undefined,
    ],
    [
      "the one reserved for it, before a smaller one",
      claimNamed("c"),
      [volumeNamed("a"), volumeNamed("z", { ...size("9Gi"), ...reference("c") })],
      "z",
    ],
    [
      "the one bound to it already",
      claimNamed("c"),
      [volumeNamed("a"), volumeNamed("z", reference("c", "c-uid"))],
      "z",
    ],
    [
      "never one bound to an earlier claim of the same name",
      claimNamed("c"),
      [volumeNamed("a", reference("c", "old-uid"))],
      undefined,
    ],
    [
      "the reserved one whatever its class",
      claimNamed("c"),
      [volumeNamed("a", { storageClassName: "fast", ...reference("c") })],
      "a",
    ],
    [
      "never a reserved one that is too small",
      claimNamed("c"),
      [volumeNamed("a", { ...size("1Mi"), ...reference("c") })],
      undefined,
    ],
    [
      "never one that is being deleted",
      claimNamed("c"),
      [volumeNamed("a", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
      undefined,
    ],
    ["never one that is released", claimNamed("c"), [inPhase("Released")], undefined],
    ["never one that the binder has not seen", claimNamed("c"), [inPhase("Pending")], undefined],
    ["never one whose reclaiming failed", claimNamed("c"), [inPhase("Failed")], undefined],
    [
      "a device for a claim of a device",
      claimNamed("c", { volumeMode: "Block" }),
      [volumeNamed("a"), volumeNamed("b", { volumeMode: "Block" })],
      "b",
    ],
    [
      "a file system where the claim names no mode",
      claimNamed("c"),
      [volumeNamed("a", { volumeMode: "Block" }), volumeNamed("b", { volumeMode: "Filesystem" })],
      "b",
    ],
    [
      "one of the same attributes class",
      claimNamed("c", { volumeAttributesClassName: "gold" }),
      [volumeNamed("a"), volumeNamed("b", { volumeAttributesClassName: "gold" })],
      "b",
    ],
    [
      "left to the scheduler where binding waits",
      claimNamed("c"),
      [volumeNamed("a")],
      undefined,
      { delayBinding: true },
    ],
    [
      "the reserved one, also where binding waits",
      claimNamed("c"),
      [volumeNamed("a", reference("c"))],
      "a",
      { delayBinding: true },
    ],
    [
      "one that the node can use",
      claimNamed("c"),
      [volumeNamed("a"), volumeNamed("b")],
      "b",
      { fitsNode: ({ metadata }) => metadata?.name === "b" },
    ],
    [
      "none where the node cannot use the reserved one",
      claimNamed("c"),
      [volumeNamed("a", reference("c")), volumeNamed("b")],
      undefined,
      { fitsNode: ({ metadata }) => metadata?.name === "b" },
    ],
  ];

  test.each(rows)("%s", (_title, claim, volumes, best, options) => {
    expect(bestVolumeFor(claim, volumes, options)?.metadata?.name).toBe(best);
  });
});

describe("the binder refuses a volume that a claim names for", () => {
  const rows: readonly [title: string, volume: PersistentVolume, claim: PersistentVolumeClaim, reason?: string][] = [
    ["its size", volumeNamed("a"), claimNamed("c", asks("2Gi")), "requested PV is too small"],
    ["its class", volumeNamed("a", { storageClassName: "fast" }), claimNamed("c"), "storageClassName does not match"],
    ["its mode", volumeNamed("a", { volumeMode: "Block" }), claimNamed("c"), "incompatible volumeMode"],
    [
      "its access modes",
      volumeNamed("a"),
      claimNamed("c", { accessModes: ["ReadWriteMany"] }),
      "incompatible accessMode",
    ],
    [
      "its attributes",
      volumeNamed("a", { volumeAttributesClassName: "gold" }),
      claimNamed("c"),
      "VolumeAttributesClassName does not match",
    ],
    ["nothing, when all fits", volumeNamed("a", size("3Gi")), claimNamed("c")],
    [
      "nothing, whatever its labels are",
      volumeNamed("a"),
      claimNamed("c", { selector: { matchLabels: { tier: "db" } } }),
    ],
  ];

  test.each(rows)("%s", (_title, volume, claim, reason) => {
    expect(mismatch(volume, claim)).toBe(reason);
  });
});

describe("the binder takes a volume as reserved for a claim", () => {
  const rows: readonly [title: string, volume: PersistentVolume, belongs: boolean][] = [
    ["not without a claimRef", volumeNamed("a"), false],
    ["by name alone", volumeNamed("a", reference("c")), true],
    ["by name and uid", volumeNamed("a", reference("c", "c-uid")), true],
    ["not with another uid", volumeNamed("a", reference("c", "x")), false],
    ["not with another name", volumeNamed("a", reference("d", "c-uid")), false],
    ["not in another namespace", volumeNamed("a", { claimRef: { namespace: "else", name: "c" } }), false],
  ];

  test.each(rows)("%s", (_title, volume, belongs) => {
    expect(isBoundTo(volume, claimNamed("c"))).toBe(belongs);
  });
});

describe("the default storage class is", () => {
  const IS_DEFAULT = { "storageclass.kubernetes.io/is-default-class": "true" };
  const at = (name: string, creationTimestamp: string, annotations: Record<string, string> = IS_DEFAULT) =>
    classNamed(name, { metadata: { name, creationTimestamp, annotations } });

  test.each([
    ["none where no class is marked", [classNamed("a")], undefined],
    ["the one that is marked", [classNamed("a"), at("b", "2026-01-01T00:00:00Z")], "b"],
    [
      "marked by the old annotation too",
      [at("b", "2026-01-01T00:00:00Z", { "storageclass.beta.kubernetes.io/is-default-class": "true" })],
      "b",
    ],
    [
      "not one that is marked false",
      [at("b", "2026-01-01T00:00:00Z", { "storageclass.kubernetes.io/is-default-class": "false" })],
      undefined,
    ],
    ["the newest of several", [at("a", "2026-01-01T00:00:00Z"), at("b", "2026-01-02T00:00:00Z")], "b"],
    ["the first by name of equally old ones", [at("b", "2026-01-01T00:00:00Z"), at("a", "2026-01-01T00:00:00Z")], "a"],
  ] as const)("%s", (_title, classes, name) => {
    expect(defaultStorageClass(classes)?.metadata?.name).toBe(name);
  });
});

describe("DEF-2: the storage class of a claim", () => {
  test.each([
    ["is its field", claimNamed("c", { storageClassName: "fast" }), "fast", true],
    ["is the old annotation's", claimNamed("c", {}, { [OLD_CLASS]: "slow" }), "slow", true],
    ["may be none at all", claimNamed("c", { storageClassName: "" }), "", true],
    ["may be left to the cluster", claimNamed("c"), "", false],
  ] as const)("%s", (_title, claim, name, named) => {
    expect(storageClassOf(claim)).toBe(name);
    expect(namesStorageClass(claim)).toBe(named);
  });
});
