import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import { claimsOfPod, isPodOver } from "../../api/volumes/claims-of-pod.js";
import type { NamespacedName } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ControllerContext } from "../context.js";
import { podsOfClaims } from "../pods-of-claims.js";
import {
  attachedVolumes,
  type AttachmentPlan,
  attachmentTo,
  isManaged,
  multiAttachMessage,
  planAttachments,
  type WantedVolume,
} from "./attachment-plan.js";

/** The index of pods by their nodes, and of attachments by theirs. */
const NODE_INDEX = "attach-node";
/** The index of attachments by their volumes. */
const VOLUME_INDEX = "attach-volume";
/** How long a node has to unmount a volume before it is detached anyway. Milliseconds. */
const UNMOUNT_MS = 360_000;

/** Asks the drivers of CSI volumes to attach them to the nodes of the pods that use them. */
export function attachDetachController(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const pods = manager.informers.of("v1", "Pod");
  const claims = manager.informers.of("v1", "PersistentVolumeClaim");
  const volumes = manager.informers.of("v1", "PersistentVolume");
  const drivers = manager.informers.of("storage.k8s.io/v1", "CSIDriver");
  const attachments = manager.informers.of("storage.k8s.io/v1", "VolumeAttachment");
  pods.addIndexers({
    [NODE_INDEX]: (pod) => (isPodOver(pod) || claimsOfPod(pod).length === 0 ? [] : [pod.spec?.nodeName ?? ""]),
  });
  attachments.addIndexers({
    [NODE_INDEX]: ({ spec }) => [spec.nodeName],
    [VOLUME_INDEX]: ({ spec }) => [spec.source.persistentVolumeName ?? ""],
  });
  const podsUsing = podsOfClaims(manager.informers);
  const recorder = context.recorder({ component: "attachdetach-controller" });
  /** Since when attachments wait for their nodes to unmount. */
  const unmounting = new Map<string, number>();

  const nodesUsing = (claim: string): NamespacedName[] =>
    podsUsing(claim).flatMap(({ spec }) => nodeKey(spec?.nodeName));
  const nodesOfVolume = ({ spec }: PersistentVolume): NamespacedName[] =>
    spec?.csi === undefined ? [] : nodesUsing(`${spec.claimRef?.namespace}/${spec.claimRef?.name}`);

  manager
    .controllerFor("v1", "Node", { when: (node, before) => before === undefined || concerns(node, before) })
    .named("persistentvolume-attach-detach-controller")
    .watches("v1", "Pod", (pod) => (claimsOfPod(pod).length === 0 ? [] : nodeKey(pod.spec?.nodeName)))
    .watches("v1", "PersistentVolumeClaim", ({ metadata }) => nodesUsing(`${metadata?.namespace}/${metadata?.name}`))
    .watches("v1", "PersistentVolume", nodesOfVolume)
    .watches("storage.k8s.io/v1", "VolumeAttachment", ({ spec }) => {
      const volume = volumes.cache.get(spec.source.persistentVolumeName ?? "");
      return [...nodeKey(spec.nodeName), ...(volume === undefined ? [] : nodesOfVolume(volume))];
    })
    .reads("storage.k8s.io/v1", "CSIDriver")
    .reconcile(({ name, object }) => reconcile(name, object));

  async function reconcile(name: string, node: Node | undefined): Promise<ReconcileResult> {
    if (node !== undefined && !isManaged(node)) return;
    const plan = planAttachments(name, node, {
      wanted: node === undefined ? [] : wantedOn(name),
      attachments: attachments.cache.byIndex(NODE_INDEX, name),
      volumeNamed: (volume) => volumes.cache.get(volume),
      nodesOf: ({ metadata }) =>
        attachments.cache.byIndex(VOLUME_INDEX, metadata?.name ?? "").map(({ spec }) => spec.nodeName),
    });
    if (node !== undefined) await show(node, plan);
    for (const { volume } of plan.attach) await attach(name, volume);
    for (const { volume, pods: waiting } of plan.blocked) {
      const message = multiAttachMessage(volume, usersElsewhere(volume, waiting, name));
      for (const pod of waiting) recorder.event(pod, "Warning", "FailedAttachVolume", message);
    }
    const now = clock.now();
    let next: number | undefined;
    for (const { metadata } of plan.unmounting) {
      const key = metadata?.name ?? "";
      const since = unmounting.get(key) ?? now;
      unmounting.set(key, since);
      const left = since + UNMOUNT_MS - now;
      if (left <= 0) await detach(key);
      else next = Math.min(next ?? left, left);
    }
    for (const { metadata } of plan.detach) await detach(metadata?.name ?? "");
    if (next !== undefined) return { requeueAfterMilliseconds: next };
  }

  function wantedOn(node: string): readonly WantedVolume[] {
    const wanted = new Map<string, { volume: PersistentVolume; pods: Pod[] }>();
    for (const pod of pods.cache.byIndex(NODE_INDEX, node)) {
      for (const { namespace, name } of claimsOfPod(pod)) {
        const volume = volumeOf(claims.cache.get(`${namespace}/${name}`));
        if (volume?.spec?.csi == null || drivers.cache.get(volume.spec.csi.driver)?.spec.attachRequired === false)
          continue;
        const key = volume.metadata?.name ?? "";
        const known = wanted.get(key);
        if (known === undefined) wanted.set(key, { volume, pods: [pod] });
        else known.pods.push(pod);
      }
    }
    return [...wanted.values()];
  }

  function volumeOf(claim: PersistentVolumeClaim | undefined): PersistentVolume | undefined {
    if (claim?.status?.phase !== "Bound") return undefined;
    const volume = volumes.cache.get(claim.spec?.volumeName ?? "");
    return volume?.spec?.claimRef?.uid === claim.metadata?.uid ? volume : undefined;
  }

  function usersElsewhere({ spec }: PersistentVolume, [waiting]: readonly Pod[], node: string): readonly string[] {
    const { namespace = "", name = "" } = spec?.claimRef ?? {};
    if (waiting?.metadata?.namespace !== namespace) return [];
    return podsUsing(`${namespace}/${name}`)
      .filter((pod) => (pod.spec?.nodeName ?? "") !== "" && pod.spec?.nodeName !== node)
      .map(({ metadata }) => metadata?.name ?? "");
  }

  /** A node shows what is attached, and what is to be detached no more, before it is. */
  async function show(node: Node, { attached }: AttachmentPlan): Promise<void> {
    const volumesAttached = attachedVolumes(attached);
    const before = node.status?.volumesAttached ?? [];
    if (deepEqual({ all: before } as unknown as JsonObject, { all: volumesAttached } as unknown as JsonObject)) return;
    const status = { volumesAttached: volumesAttached.length > 0 ? volumesAttached : null };
    await client.of("v1", "Node").patchStatus(node.metadata?.name ?? "", { status }, { type: "merge" });
    for (const { volume, pods: users } of attached) {
      const [shown] = attachedVolumes([{ volume, pods: users }]);
      if (before.some(({ name }) => name === shown?.name)) continue;
      const message = `AttachVolume.Attach succeeded for volume "${volume.metadata?.name ?? ""}" `;
      for (const pod of users) recorder.event(pod, "Normal", "SuccessfulAttachVolume", message);
    }
  }

  async function attach(node: string, volume: PersistentVolume): Promise<void> {
    try {
      await client.of("storage.k8s.io/v1", "VolumeAttachment").create(attachmentTo(node, volume));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async function detach(name: string): Promise<void> {
    unmounting.delete(name);
    try {
      await client.of("storage.k8s.io/v1", "VolumeAttachment").delete(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

const nodeKey = (name: string | undefined): NamespacedName[] =>
  name === undefined || name === "" ? [] : [{ namespace: "", name }];

/** Heartbeats change nothing about volumes. */
function concerns(node: Node, before: Node): boolean {
  const facts = ({ metadata, spec, status }: Node): JsonObject =>
    ({
      ...metadata?.annotations,
      taints: spec?.taints,
      inUse: status?.volumesInUse,
      shown: status?.volumesAttached,
    }) as unknown as JsonObject;
  return !deepEqual(facts(node), facts(before));
}
