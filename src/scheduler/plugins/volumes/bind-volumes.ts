import type { PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from "../../../api/volumes/claims.js";
import type { SchedulerHandle } from "../../framework/plugin.js";
import { isFullyBound, type VolumeObjects } from "./volume-objects.js";

/** What becomes of a pod's unbound claims on a node. */
export interface VolumeDecisions {
  /** The volumes that claims are bound to. */
  readonly bindings: readonly (readonly [PersistentVolumeClaim, PersistentVolume])[];
  /** The claims whose volumes are to be made. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/**
 * Gives the volumes to their claims, asks for those that are to be made, and resolves when the volume controller has bound all. Rejects when
 * it says that it cannot, and after the milliseconds.
 */
export async function bindVolumes(
  { client, kinds, timers, signal }: SchedulerHandle,
  objects: VolumeObjects,
  { bindings, provisions }: VolumeDecisions,
  node: string,
  milliseconds: number,
): Promise<void> {
  for (const [claim, volume] of bindings) {
    if (volume.spec?.claimRef?.uid === claim.metadata?.uid) continue;
    const { name = "", namespace = "", uid = "", resourceVersion = "" } = claim.metadata ?? {};
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
    const metadata = {
      resourceVersion: volume.metadata?.resourceVersion,
      // A volume that was made for the claim keeps its claimRef when it is released.
      ...(volume.spec?.claimRef === undefined && { annotations: { [BOUND_BY_CONTROLLER]: "yes" } }),
    };
    const patch = { metadata, spec: { claimRef } };
    await client.of("v1", "PersistentVolume").patch(volume.metadata?.name ?? "", patch, { type: "merge", signal });
  }
  for (const { metadata } of provisions) {
    const patch = { metadata: { resourceVersion: metadata?.resourceVersion, annotations: { [SELECTED_NODE]: node } } };
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

