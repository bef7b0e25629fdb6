import { createHash } from "node:crypto";
import type { AttachedVolume, Node, PersistentVolume, Pod } from "../../api/types/core/v1.js";
import type { VolumeAttachment } from "../../api/types/storage/v1.js";

/** A volume that pods of a node need, and that a driver has to attach to the node. */
export interface WantedVolume {
  readonly volume: PersistentVolume;
  readonly pods: readonly Pod[];
}

export interface NodeVolumes {
  readonly wanted: readonly WantedVolume[];
  /** The attachments to the node. */
  readonly attachments: readonly VolumeAttachment[];
  readonly volumeNamed: (name: string) => PersistentVolume | undefined;
  /** The nodes that a volume has attachments to. */
  readonly nodesOf: (volume: PersistentVolume) => readonly string[];
}

export interface AttachmentPlan {
  readonly attach: readonly WantedVolume[];
  /** Not now: they can have one node, and another one has them. */
  readonly blocked: readonly WantedVolume[];
  readonly detach: readonly VolumeAttachment[];
  /** To be detached when the node has unmounted them. */
  readonly unmounting: readonly VolumeAttachment[];
  /** What the node is to show as attached. */
  readonly attached: readonly WantedVolume[];
}

/** Plans which volumes to attach to a node and which to detach from it. `node` is undefined when it was deleted. */
export function planAttachments(name: string, node: Node | undefined, volumes: NodeVolumes): AttachmentPlan {
  const { wanted, attachments, volumeNamed, nodesOf } = volumes;
  const known = new Map(attachments.map((attachment) => [nameOf(attachment), attachment]));
  const wantedName = ({ volume }: WantedVolume): string => attachmentName(volume, name);
  const missing = wanted.filter((one) => !known.has(wantedName(one)));
  const isBlocked = ({ volume }: WantedVolume): boolean =>
    isExclusive(volume) && nodesOf(volume).some((other) => other !== name);
  const needed = new Set(wanted.map(wantedName));
  const left = attachments.filter((attachment) => {
    const { deletionTimestamp } = attachment.metadata ?? {};
    return isOwn(attachment) && !needed.has(nameOf(attachment)) && deletionTimestamp === undefined;
  });
  const inUse = isOutOfService(node) ? [] : (node?.status?.volumesInUse ?? []);
  const isMounted = ({ spec }: VolumeAttachment): boolean => {
    const volume = volumeNamed(spec.source.persistentVolumeName ?? "");
    return volume !== undefined && inUse.includes(uniqueName(volume));
  };
  return {
    attach: missing.filter((one) => !isBlocked(one)),
    blocked: missing.filter(isBlocked),
    detach: left.filter((attachment) => !isMounted(attachment)),
    unmounting: left.filter(isMounted),
    attached: wanted.filter((one) => known.get(wantedName(one))?.status?.attached === true),
  };
}

/** The entries of a node's status for its attached volumes. */
export const attachedVolumes = (attached: readonly WantedVolume[]): AttachedVolume[] =>
  attached.map(({ volume }) => ({ name: uniqueName(volume), devicePath: "" }));

export function attachmentTo(node: string, volume: PersistentVolume): VolumeAttachment {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: attachmentName(volume, node) },
    spec: {
      attacher: volume.spec?.csi?.driver ?? "",
      nodeName: node,
      source: { persistentVolumeName: volume.metadata?.name ?? "" },
    },
  };
}

/** The name of a volume's attachment to a node, by which drivers find it: "csi-" and a hash. */
export function attachmentName({ spec }: PersistentVolume, node: string): string {
  const { driver = "", volumeHandle = "" } = spec?.csi ?? {};
  return `csi-${createHash("sha256").update(`${volumeHandle}${driver}${node}`).digest("hex")}`;
}

/** "kubernetes.io/csi/<driver>^<handle>", as nodes name volumes in their status. */
export function uniqueName({ spec }: PersistentVolume): string {
  const { driver = "", volumeHandle = "" } = spec?.csi ?? {};
  return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}

/** Whether the kubelet leaves attaching to the controller. */
export function isManaged(node: Node): boolean {
  return node.metadata?.annotations?.["volumes.kubernetes.io/controller-managed-attach-detach"] === "true";
}

/** The message for pods that wait for a volume which is attached to another node; `users` are the pods there that use it. */
export function multiAttachMessage(volume: PersistentVolume, users: readonly string[]): string {
  const why =
    users.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : `Volume is already used by pod(s) ${users.join(", ")}`;
  return `Multi-Attach error for volume "${volume.metadata?.name ?? ""}" ${why}`;
}

/** Whether only one node at a time can have a volume. */
function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}

const isOutOfService = (node: Node | undefined): boolean =>
  node?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true;

/** Other programs attach volumes too, by names of their own. */
const isOwn = (attachment: VolumeAttachment): boolean => /^csi-[0-9a-f]{64}$/.test(nameOf(attachment));
const nameOf = ({ metadata }: VolumeAttachment): string => metadata?.name ?? "";
