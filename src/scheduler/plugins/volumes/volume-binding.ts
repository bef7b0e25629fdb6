import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { SELECTED_NODE, storageClassOf, BOUND_BY_CONTROLLER } from "../../../api/volumes/claims.js";
import { matchingVolume, requestedBytes } from "../../../api/volumes/volume-match.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";
import { Action } from "../../framework/cluster-event.js";
import type { CycleState } from "../../framework/cycle-state.js";
import type { SchedulerHandle, SchedulerPlugin } from "../../framework/plugin.js";
import { SKIP, type Status, unresolvable } from "../../framework/status.js";
import { PLUGIN } from "../names.js";
import { claimNotFound, followVolumes, isFullyBound, OWN_CLAIM, reaches, VolumeObjects } from "./volume-objects.js";
import { own } from "../../../base/collections/own.js";
import type { CSIStorageCapacity, StorageClass } from "../../../api/types/storage/v1.js";
import { wholeValue } from "../../../machinery/text/quantity/quantity.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { FollowedKinds } from "../../followed-kinds.js";

export interface VolumeBindingArgs {
  /** How long a pod waits for its claims to be bound. Default 600 seconds. */
  readonly bindTimeoutSeconds?: number;
}

const NAME = PLUGIN.volumeBinding;
const NO_MATCH = "node(s) didn't find available persistent volumes to bind";
const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const NO_SPACE = "node(s) did not have enough free storage";
const NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

interface PodClaims {
  /** Undefined where the volume does not exist. */
  readonly bound: readonly (PersistentVolume | undefined)[];
  /** Those that are bound when their pod has a node; the smallest first. */
  readonly unbound: readonly PersistentVolumeClaim[];
  readonly byNode: Map<string, VolumeDecisions>;
}

/** Chooses nodes that can reach the pod's volumes, or on which they can be provisioned, and has the pod's claims bound before the pod. */
export const volumeBinding = (handle: SchedulerHandle, args: VolumeBindingArgs = {}): SchedulerPlugin =>
  new VolumeBinding(handle, args);

class VolumeBinding implements SchedulerPlugin {
  readonly name = NAME;
  readonly events: NonNullable<SchedulerPlugin["events"]> = [
    OWN_CLAIM,
    { resource: "PersistentVolume", action: Action.add | Action.update },
    { resource: "StorageClass", action: Action.add | Action.update },
    { resource: "Node", action: Action.add | Action.nodeLabel },
    { resource: "CSINode", action: Action.add | Action.update },
    { resource: "CSIDriver", action: Action.update },
    { resource: "CSIStorageCapacity", action: Action.add | Action.update },
  ];
  readonly #handle: SchedulerHandle;
  readonly #objects: VolumeObjects;
  /** Milliseconds. */
  readonly #bindTimeout: number;
  /** The claims that volumes were given to here, by the volumes' names, and the nodes of claims to provision: the API does not show it yet. */
  readonly #assumedVolumes = new Map<string, string>();
  readonly #assumedNodes = new Map<string, string>();

  constructor(handle: SchedulerHandle, { bindTimeoutSeconds = 600 }: VolumeBindingArgs) {
    this.#handle = handle;
    this.#objects = new VolumeObjects(handle.kinds);
    this.#bindTimeout = bindTimeoutSeconds * 1000;
  }

  prepare(info: PodInfo) {
    return followVolumes(info, this.#handle.kinds);
  }

  preFilter(state: CycleState, info: PodInfo): Status | undefined {
    if (info.claims.length === 0) return SKIP;
    const claims = claimsOf(info, this.#objects);
    if ("code" in claims) return claims;
    state.write(NAME, claims);
    return undefined;
  }

  filter(state: CycleState, _info: PodInfo, node: NodeInfo): Status | undefined {
    const claims = state.read<PodClaims>(NAME) as PodClaims;
    const decided = this.#decide(node, claims);
    if ("code" in decided) return decided;
    claims.byNode.set(node.name, decided);
    return undefined;
  }

  reserve(state: CycleState, _info: PodInfo, node: string): undefined {
    const decided = state.read<PodClaims>(NAME)?.byNode.get(node);
    for (const [claim, volume] of decided?.bindings ?? [])
      this.#assumedVolumes.set(volume.metadata?.name ?? "", keyOf(claim));
    for (const claim of decided?.provisions ?? []) this.#assumedNodes.set(keyOf(claim), node);
    return undefined;
  }

  unreserve(state: CycleState, _info: PodInfo, node: string): void {
    const decided = state.read<PodClaims>(NAME)?.byNode.get(node);
    if (decided !== undefined) this.#revert(decided);
  }

  async preBind(state: CycleState, _info: PodInfo, node: string): Promise<undefined> {
    const decided = state.read<PodClaims>(NAME)?.byNode.get(node);
    if (decided === undefined || decided.bindings.length + decided.provisions.length === 0) return undefined;
    await bindVolumes(this.#handle, this.#objects, decided, node, this.#bindTimeout);
    this.#revert(decided);
    return undefined;
  }

  /** What a node gives the pod's claims, or why it does not fit. */
  #decide(node: NodeInfo, { bound, unbound }: PodClaims): VolumeDecisions | Status {
    const reasons: string[] = [];
    if (bound.some((volume) => volume !== undefined && !reaches(volume, node))) reasons.push(NODE_CONFLICT);
    const bindings: [PersistentVolumeClaim, PersistentVolume][] = [];
    const provisions: PersistentVolumeClaim[] = [];
    for (const claim of unbound) {
      const key = keyOf(claim);
      const selected = claim.metadata?.annotations?.[SELECTED_NODE] ?? this.#assumedNodes.get(key);
      if (selected !== undefined && selected !== node.name) return unresolvable(NAME, ...reasons, NO_MATCH);
      const isTaken = ({ metadata }: PersistentVolume): boolean => {
        const assumed = this.#assumedVolumes.get(metadata?.name ?? "");
        return (
          (assumed !== undefined && assumed !== key) ||
          bindings.some(([, other]) => other.metadata?.name === metadata?.name)
        );
      };
      const volume =
        selected === undefined
          ? matchingVolume(claim, this.#objects.volumes(), { fitsNode: (one) => reaches(one, node), isTaken })
          : undefined;
      if (volume !== undefined) bindings.push([claim, volume]);
      else provisions.push(claim);
    }
    for (const claim of provisions) {
      const storageClass = this.#objects.storageClass(storageClassOf(claim));
      if (storageClass === undefined) throw new Error(`failed to find storage class "${storageClassOf(claim)}"`);
      const answer = canProvision(claim, storageClass, node, this.#handle.kinds);
      if (answer === "yes") continue;
      reasons.push(answer === "no" ? NO_MATCH : NO_SPACE);
      break;
    }
    if (bound.includes(undefined)) reasons.push(NO_VOLUME);
    return reasons.length > 0 ? unresolvable(NAME, ...reasons) : { bindings, provisions };
  }

  #revert({ bindings, provisions }: VolumeDecisions): void {
    for (const [, volume] of bindings) this.#assumedVolumes.delete(volume.metadata?.name ?? "");
    for (const claim of provisions) this.#assumedNodes.delete(keyOf(claim));
  }
}

const keyOf = ({ metadata }: PersistentVolumeClaim): string => `${metadata?.namespace}/${metadata?.name}`;

/** The pod's claims, or why it cannot be scheduled with them. */
function claimsOf({ pod, claims }: PodInfo, objects: VolumeObjects): PodClaims | Status {
  const ephemeral = new Set(
    (pod.spec?.volumes ?? [])
      .filter((volume) => volume.ephemeral !== undefined)
      .map(({ name }) => `${pod.metadata?.namespace}/${pod.metadata?.name}-${name}`),
  );
  const bound: (PersistentVolume | undefined)[] = [];
  const unbound: PersistentVolumeClaim[] = [];
  let waits = false;
  for (const key of claims) {
    const claim = objects.claim(key);
    const name = key.slice(key.indexOf("/") + 1);
    if (claim === undefined) {
      const awaited = `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
      return unresolvable(NAME, ephemeral.has(key) ? awaited : claimNotFound(key));
    }
    const { metadata, spec, status } = claim;
    if (status?.phase === "Lost") {
      return unresolvable(
        NAME,
        `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ""}"`,
      );
    }
    if (metadata?.deletionTimestamp !== undefined)
      return unresolvable(NAME, `persistentvolumeclaim "${name}" is being deleted`);
    if (
      ephemeral.has(key) &&
      !metadata?.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata?.uid)
    ) {
      return unresolvable(
        NAME,
        `PVC ${key} was not created for pod ${pod.metadata?.namespace}/${pod.metadata?.name} (pod is not owner)`,
      );
    }
    if (isFullyBound(claim)) bound.push(objects.volume(spec?.volumeName ?? ""));
    else if (isBoundLater(claim, objects)) unbound.push(claim);
    else waits = true;
  }
  if (waits) return unresolvable(NAME, "pod has unbound immediate PersistentVolumeClaims");
  unbound.sort((a, b) => requestedBytes(a) - requestedBytes(b));
  return { bound, unbound, byNode: new Map() };
}

function isBoundLater(claim: PersistentVolumeClaim, objects: VolumeObjects): boolean {
  if ((claim.spec?.volumeName ?? "") !== "") return false;
  return objects.storageClass(storageClassOf(claim))?.volumeBindingMode === "WaitForFirstConsumer";
}

/** The provisioner of classes whose volumes are made by hand. */
const NO_PROVISIONER = "kubernetes.io/no-provisioner";

/** Whether a volume for the claim can be made for a node: "no-space" where only its capacity says no. */
function canProvision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: NodeInfo,
  kinds: FollowedKinds,
): "yes" | "no" | "no-space" {
  const { provisioner, allowedTopologies = [] } = storageClass;
  if (provisioner === "" || provisioner === NO_PROVISIONER) return "no";
  const isAllowed =
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(own(node.labels, key) ?? "\0")),
    );
  if (!isAllowed) return "no";
  return hasCapacity(claim, storageClass, node, kinds) ? "yes" : "no-space";
}

/** Only drivers that say so publish their capacity. */
function hasCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  { labels }: NodeInfo,
  kinds: FollowedKinds,
): boolean {
  const bytes = requestedBytes(claim);
  const driver = kinds.cache("storage.k8s.io/v1", "CSIDriver").get(provisioner);
  if (bytes === 0 || driver?.spec?.storageCapacity !== true) return true;
  for (const capacity of kinds.cache("storage.k8s.io/v1", "CSIStorageCapacity").values()) {
    if (capacity.storageClassName !== metadata?.name || volumeLimit(capacity) < bytes) continue;
    if (capacity.nodeTopology === undefined) continue;
    const topology = capacity.nodeTopology as Parameters<typeof selectorFromObject>[0];
    if (selectorFromObject(topology).matches(labels)) return true;
  }
  return false;
}

/** The largest volume that can be made, in bytes. */
function volumeLimit({ capacity, maximumVolumeSize }: CSIStorageCapacity): number {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? -1 : wholeValue(limit);
}

/** What becomes of a pod's unbound claims on a node. */
interface VolumeDecisions {
  /** The volumes that claims are bound to. */
  readonly bindings: readonly (readonly [PersistentVolumeClaim, PersistentVolume])[];
  /** The claims whose volumes are to be made. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/**
 * Gives the volumes to their claims, asks for those that are to be made, and resolves when the volume controller has bound all. Rejects when
 * it says that it cannot, and after the milliseconds.
 */
async function bindVolumes(
  { client, kinds, timers, signal }: SchedulerHandle,
  objects: VolumeObjects,
  { bindings, provisions }: VolumeDecisions,
  node: string,
  milliseconds: number,
): Promise<void> {
  for (const [claim, volume] of bindings) {
    if (volume.spec?.claimRef?.uid === claim.metadata?.uid) continue;
    const { name = "", namespace = "", uid = "", resourceVersion = "" } = claim.metadata ?? {};
    const claimRef = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      name,
      namespace,
      uid,
      resourceVersion,
    } satisfies FieldsOf<ObjectReference>;
    const metadata = {
      resourceVersion: volume.metadata?.resourceVersion,
      // A volume that was made for the claim keeps its claimRef when it is released.
      ...(volume.spec?.claimRef === undefined &&
        ({ annotations: { [BOUND_BY_CONTROLLER]: "yes" } } satisfies FieldsOf<ObjectMeta>)),
    } satisfies FieldsOf<ObjectMeta>;
    const patch = { metadata, spec: { claimRef } } satisfies FieldsOf<PersistentVolume>;
    await client.of("v1", "PersistentVolume").patch(volume.metadata?.name ?? "", patch, { type: "merge", signal });
  }
  for (const { metadata } of provisions) {
    const patch = {
      metadata: {
        resourceVersion: metadata?.resourceVersion,
        annotations: { [SELECTED_NODE]: node },
      } satisfies FieldsOf<ObjectMeta>,
    };
    const claims = client.of("v1", "PersistentVolumeClaim").namespace(metadata?.namespace ?? "");
    await claims.patch(metadata?.name ?? "", patch, { type: "merge", signal });
  }
  const before = new Map([...bindings.map(([claim]) => claim), ...provisions].map((claim) => [keyOf(claim), claim]));
  const isBound = (key: string): boolean => {
    const claim = objects.claim(key);
    if (claim === undefined)
      throw new Error(
        `binding volumes: failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${key}"`,
      );
    if (isFullyBound(claim)) return true;
    const wasAsked = provisions.some((one) => keyOf(one) === key);
    const isNews = claim.metadata?.resourceVersion !== before.get(key)?.metadata?.resourceVersion;
    // A provisioner that fails takes the annotation away.
    if (wasAsked && isNews && claim.metadata?.annotations?.[SELECTED_NODE] !== node) {
      throw new Error(`binding volumes: provisioning failed for PVC "${claim.metadata?.name ?? ""}"`);
    }
    return false;
  };
  const areBound = await kinds.until(() => [...before.keys()].every(isBound), milliseconds, timers);
  if (!areBound) throw new Error("binding volumes: context deadline exceeded");
}
