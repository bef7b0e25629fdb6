import { describe, expect, test } from "vitest";
import type { Node, PersistentVolume, Pod } from "../../../src/api/types/core/v1.js";
import type { VolumeAttachment } from "../../../src/api/types/storage/v1.js";
import {
  attachedVolumes,
  attachmentName,
  attachmentTo,
  isManaged,
  multiAttachMessage,
  planAttachments,
  type WantedVolume,
} from "../../../src/controllers/attach-detach/attachment-plan.js";
import { volumeNamed } from "../../helpers/volume-objects.js";

const disk = (name: string, spec: PersistentVolume["spec"] = {}): PersistentVolume =>
  volumeNamed(name, { csi: { driver: "disks.example.com", volumeHandle: `h-${name}` }, ...spec });
const pod: Pod = { metadata: { name: "web", namespace: "shop" } };
const wanted = (...volumes: PersistentVolume[]): WantedVolume[] => volumes.map((volume) => ({ volume, pods: [pod] }));
const attachment = (volume: PersistentVolume, attached = true): VolumeAttachment => ({
  ...attachmentTo("n1", volume),
  status: { attached },
});
const node = (inUse: string[] = [], taint?: string): Node => ({
  metadata: { name: "n1" },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: "NoExecute" }] },
  status: { volumesInUse: inUse },
});

const [a, b] = [disk("a"), disk("b")];
const shared = disk("s", { accessModes: ["ReadWriteMany"] });
const IN_USE = "kubernetes.io/csi/disks.example.com^h-a";

interface Row {
  readonly wanted?: readonly WantedVolume[];
  readonly attachments?: readonly VolumeAttachment[];
  readonly node?: Node | undefined;
  readonly elsewhere?: readonly string[];
  readonly attach?: readonly string[];
  readonly blocked?: readonly string[];
  readonly detach?: readonly string[];
  readonly unmounting?: readonly string[];
  readonly attached?: readonly string[];
}

describe("the attach controller's plan for a node's volumes:", () => {
  const deleting = { ...attachment(a), metadata: { ...attachment(a).metadata, deletionTimestamp: "t" } };
  const foreign = { ...attachment(a), metadata: { name: "by-hand" } };
  const rows: readonly [title: string, row: Row][] = [
    ["nothing happens without volumes", {}],
    ["a wanted volume is attached", { wanted: wanted(a), attach: ["a"] }],
    ["each of several volumes is attached", { wanted: wanted(a, b), attach: ["a", "b"] }],
    [
      "a volume that is being attached is not attached again",
      { wanted: wanted(a), attachments: [attachment(a, false)] },
    ],
    ["an attached volume is shown", { wanted: wanted(a), attachments: [attachment(a)], attached: ["a"] }],
    ["a volume that another node has waits", { wanted: wanted(a), elsewhere: ["n2"], blocked: ["a"] }],
    ["a volume for many nodes does not wait", { wanted: wanted(shared), elsewhere: ["n2"], attach: ["s"] }],
    ["a volume that the node itself has does not wait", { wanted: wanted(a), elsewhere: ["n1"], attach: ["a"] }],
    ["a volume that no pod uses any more is detached", { attachments: [attachment(a)], detach: ["a"] }],
    ["a volume that is still mounted stays", { attachments: [attachment(a)], node: node([IN_USE]), unmounting: ["a"] }],
    [
      "a volume is detached while another is mounted",
      { attachments: [attachment(b)], node: node([IN_USE]), detach: ["b"] },
    ],
    [
      "a mounted volume goes when the node is out of service",
      { attachments: [attachment(a)], node: node([IN_USE], "node.kubernetes.io/out-of-service"), detach: ["a"] },
    ],
    [
      "a mounted volume stays when the node is only unreachable",
      { attachments: [attachment(a)], node: node([IN_USE], "node.kubernetes.io/unreachable"), unmounting: ["a"] },
    ],
    [
      "all volumes go when the node was deleted",
      { attachments: [attachment(a), attachment(b)], node: undefined, detach: ["a", "b"] },
    ],
    ["a volume that is being detached is left alone", { attachments: [deleting] }],
    ["attachments of other programs are left alone", { attachments: [foreign] }],
  ];

  test.each(rows)("%s", (_title, row) => {
    const on = "node" in row ? row.node : node();
    const plan = planAttachments("n1", on, {
      wanted: row.wanted ?? [],
      attachments: row.attachments ?? [],
      volumeNamed: (name) => [a, b, shared].find(({ metadata }) => metadata?.name === name),
      nodesOf: () => row.elsewhere ?? [],
    });
    const names = (volumes: readonly WantedVolume[]) => volumes.map(({ volume }) => volume.metadata?.name);
    const sources = (all: readonly VolumeAttachment[]) => all.map(({ spec }) => spec.source.persistentVolumeName);
    expect({
      attach: names(plan.attach),
      blocked: names(plan.blocked),
      detach: sources(plan.detach),
      unmounting: sources(plan.unmounting),
      attached: names(plan.attached),
    }).toEqual({
      attach: row.attach ?? [],
      blocked: row.blocked ?? [],
      detach: row.detach ?? [],
      unmounting: row.unmounting ?? [],
      attached: row.attached ?? [],
    });
  });
});

test("a VolumeAttachment is named for the handle, the driver and the node", () => {
  expect(attachmentName(a, "n1")).toBe("csi-64da9606d812e925809e009a8fdd12bc204ba2acdd02c06b9de574c6fa8621e3");
  expect(attachmentTo("n1", a).spec).toEqual({
    attacher: "disks.example.com",
    nodeName: "n1",
    source: { persistentVolumeName: "a" },
  });
});

test("a node's status names attached volumes by driver and handle", () => {
  expect(attachedVolumes(wanted(a))).toEqual([{ name: IN_USE, devicePath: "" }]);
});

test.each([
  ["users in the namespace", ["x", "y"], 'Multi-Attach error for volume "a" Volume is already used by pod(s) x, y'],
  [
    "no users to name",
    [],
    'Multi-Attach error for volume "a" Volume is already exclusively attached to one node and can\'t be attached to another',
  ],
])("a volume that is attached elsewhere causes an event that names %s", (_title, users, message) => {
  expect(multiAttachMessage(a, users)).toBe(message);
});

test.each([
  ["true", true],
  ["false", false],
])("a node whose annotation is %s is managed by the attach controller: %s", (value, managed) => {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": value };
  expect(isManaged({ metadata: { name: "n", annotations } })).toBe(managed);
});
