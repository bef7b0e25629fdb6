import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import type { CSIDriver, VolumeAttachment } from "../../api/types/storage/v1.js";
import { claimsOfPod, isPodOver } from "../../api/volumes/claims.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { NamespacedName, SharedInformer } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ControllerContext } from "../context.js";
import { podsOfClaims } from "../pod-indexes.js";
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

/** Asks the CSI drivers to attach volumes to the nodes of the pods that use them. */
export function attachDetachController(context: ControllerContext): void {
  const { manager } = context;
  const pods = manager.informers.of("v1", "Pod");
  const volumes = manager.informers.of("v1", "PersistentVolume");
  const attachments = manager.informers.of("storage.k8s.io/v1", "VolumeAttachment");
  pods.addIndexers({
    [NODE_INDEX]: (pod) => (isPodOver(pod) || claimsOfPod(pod).length === 0 ? [] : [pod.spec?.nodeName ?? ""]),
  });
  attachments.addIndexers({
    [NODE_INDEX]: ({ spec }) => [spec.nodeName],
    [VOLUME_INDEX]: ({ spec }) => [spec.source.persistentVolumeName ?? ""],
  });
  const podsUsing = podsOfClaims(manager.informers);
  const reconciler = new AttachmentReconciler(context, podsUsing);

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
    .reconcile(({ name, object }) => reconciler.reconcile(name, object));
}

class AttachmentReconciler {
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #pods: SharedInformer<Stored<Pod>>;
  readonly #claims: SharedInformer<Stored<PersistentVolumeClaim>>;
  readonly #volumes: SharedInformer<Stored<PersistentVolume>>;
  readonly #drivers: SharedInformer<Stored<CSIDriver>>;
  readonly #attachments: SharedInformer<Stored<VolumeAttachment>>;
  readonly #podsUsing: ReturnType<typeof podsOfClaims>;
  readonly #recorder: EventRecorder;
  /** Since when attachments wait for their nodes to unmount. */
  readonly #unmounting = new Map<string, number>();

  constructor({ client, clock, manager, recorder }: ControllerContext, podsUsing: ReturnType<typeof podsOfClaims>) {
    const { informers } = manager;
    this.#client = client;
    this.#clock = clock;
    this.#pods = informers.of("v1", "Pod");
    this.#claims = informers.of("v1", "PersistentVolumeClaim");
    this.#volumes = informers.of("v1", "PersistentVolume");
    this.#drivers = informers.of("storage.k8s.io/v1", "CSIDriver");
    this.#attachments = informers.of("storage.k8s.io/v1", "VolumeAttachment");
    this.#podsUsing = podsUsing;
    this.#recorder = recorder({ component: "attachdetach-controller" });
  }

  /** `node` is undefined where it is gone. */
  async reconcile(name: string, node: Node | undefined): Promise<ReconcileResult> {
    if (node !== undefined && !isManaged(node)) return;
    const plan = planAttachments(name, node, {
      wanted: node === undefined ? [] : this.#wantedOn(name),
      attachments: this.#attachments.cache.byIndex(NODE_INDEX, name),
      volumeNamed: (volume) => this.#volumes.cache.get(volume),
      nodesOf: ({ metadata }) =>
        this.#attachments.cache.byIndex(VOLUME_INDEX, metadata?.name ?? "").map(({ spec }) => spec.nodeName),
    });
    if (node !== undefined) await this.#show(node, plan);
    for (const { volume } of plan.attach) await this.#attach(name, volume);
    for (const { volume, pods: waiting } of plan.blocked) {
      const message = multiAttachMessage(volume, this.#usersElsewhere(volume, waiting, name));
      for (const pod of waiting) this.#recorder.event(pod, "Warning", "FailedAttachVolume", message);
    }
    const now = this.#clock.now();
    let next: number | undefined;
    for (const { metadata } of plan.unmounting) {
      const key = metadata?.name ?? "";
      const since = this.#unmounting.get(key) ?? now;
      this.#unmounting.set(key, since);
      const left = since + UNMOUNT_MS - now;
      if (left <= 0) await this.#detach(key);
      else next = Math.min(next ?? left, left);
    }
    for (const { metadata } of plan.detach) await this.#detach(metadata?.name ?? "");
    if (next !== undefined) return { requeueAfterMilliseconds: next };
  }

  #wantedOn(node: string): readonly WantedVolume[] {
    const wanted = new Map<string, { volume: PersistentVolume; pods: Pod[] }>();
    for (const pod of this.#pods.cache.byIndex(NODE_INDEX, node)) {
      for (const { namespace, name } of claimsOfPod(pod)) {
        const volume = this.#volumeOf(this.#claims.cache.get(`${namespace}/${name}`));
        if (volume?.spec?.csi == null || this.#drivers.cache.get(volume.spec.csi.driver)?.spec.attachRequired === false)
          continue;
        const key = volume.metadata?.name ?? "";
        const known = wanted.get(key);
        if (known === undefined) wanted.set(key, { volume, pods: [pod] });
        else known.pods.push(pod);
      }
    }
    return [...wanted.values()];
  }

  #volumeOf(claim: PersistentVolumeClaim | undefined): PersistentVolume | undefined {
    if (claim?.status?.phase !== "Bound") return undefined;
    const volume = this.#volumes.cache.get(claim.spec?.volumeName ?? "");
    return volume?.spec?.claimRef?.uid === claim.metadata?.uid ? volume : undefined;
  }

  #usersElsewhere({ spec }: PersistentVolume, [waiting]: readonly Pod[], node: string): readonly string[] {
    const { namespace = "", name = "" } = spec?.claimRef ?? {};
    if (waiting?.metadata?.namespace !== namespace) return [];
    return this.#podsUsing(`${namespace}/${name}`)
      .filter((pod) => (pod.spec?.nodeName ?? "") !== "" && pod.spec?.nodeName !== node)
      .map(({ metadata }) => metadata?.name ?? "");
  }

  /** A node shows what is attached, and what is to be detached no more, before it is. */
  async #show(node: Node, { attached }: AttachmentPlan): Promise<void> {
    const volumesAttached = attachedVolumes(attached);
    const before = node.status?.volumesAttached ?? [];
    if (deepEqual({ all: before }, { all: volumesAttached })) return;
    const status = { volumesAttached: volumesAttached.length > 0 ? volumesAttached : null };
    await this.#client.of("v1", "Node").patchStatus(node.metadata?.name ?? "", { status }, { type: "merge" });
    for (const { volume, pods: users } of attached) {
      const [shown] = attachedVolumes([{ volume, pods: users }]);
      if (before.some(({ name }) => name === shown?.name)) continue;
      const message = `AttachVolume.Attach succeeded for volume "${volume.metadata?.name ?? ""}" `;
      for (const pod of users) this.#recorder.event(pod, "Normal", "SuccessfulAttachVolume", message);
    }
  }

  async #attach(node: string, volume: PersistentVolume): Promise<void> {
    try {
      await this.#client.of("storage.k8s.io/v1", "VolumeAttachment").create(attachmentTo(node, volume));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #detach(name: string): Promise<void> {
    this.#unmounting.delete(name);
    try {
      await this.#client.of("storage.k8s.io/v1", "VolumeAttachment").delete(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

const nodeKey = (name: string | undefined): NamespacedName[] =>
  name === undefined || name === "" ? [] : [{ namespace: "", name }];

/** Heartbeats change nothing about volumes. */
function concerns(node: Node, before: Node): boolean {
  const facts = ({ metadata, spec, status }: Node): object => ({
    ...metadata?.annotations,
    taints: spec?.taints,
    inUse: status?.volumesInUse,
    shown: status?.volumesAttached,
  });
  return !deepEqual(facts(node), facts(before));
}
