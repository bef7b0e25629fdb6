import type { FieldsOf } from "../../machinery/meta/received.js";
import type { StatefulSet } from "../../api/types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { Lister } from "../../client/informers/index.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import { withIdentity, claimName, isWanted, ordinalOf, STATEFUL_SET } from "./identity.js";
import type { Step } from "./plan.js";
import type { ObjectMeta, ApiObject, OwnerReference } from "../../machinery/meta/object.js";
import { type ControllerKind, controllerReference, refersTo } from "../owned-pods/controller-ref.js";

/** Executes the steps of a set's plan, and reports Kubernetes' events. */
export class MemberControl {
  constructor(
    private readonly client: KubernetesClient,
    private readonly claims: Lister<PersistentVolumeClaim>,
    private readonly recorder: EventRecorder,
  ) {}

  /** Answers false where the step must wait: the claims of an earlier pod of the name are not gone. */
  async take(set: StatefulSet, { act, pod }: Step): Promise<boolean> {
    switch (act) {
      case "create":
        return this.#create(set, pod);
      case "delete":
        await this.#delete(set, pod);
        return true;
      case "claims":
        await this.#createClaims(set, pod);
        return true;
      case "keep":
        await this.#updateIdentity(set, pod);
        await this.#updateClaimOwners(set, pod);
        return true;
      case "release":
        await this.#updateClaimOwners(set, pod);
        return true;
    }
  }

  async #create(set: StatefulSet, pod: Pod): Promise<boolean> {
    const isWaiting = this.#knownClaims(set, pod).some((claim) => isStale(set, pod, claim));
    if (isWaiting) return false;
    try {
      await this.#createClaims(set, pod);
      await this.client.of("v1", "Pod").namespace(namespaceOf(set)).create(pod);
    } catch (error) {
      if (isNamespaceTerminating(error)) return false;
      if (!isAlreadyExists(error)) this.#record("create", set, pod, error);
      throw error;
    }
    await this.#updateClaimOwners(set, pod);
    this.#record("create", set, pod);
    return true;
  }

  async #delete(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      await this.client
        .of("v1", "Pod")
        .namespace(namespaceOf(set))
        .delete(pod.metadata?.name ?? "");
      this.#record("delete", set, pod);
    } catch (error) {
      if (isNotFound(error)) return;
      this.#record("delete", set, pod, error);
      throw error;
    }
  }

  /** Creates the claims that are not there. Throws while one of them is being deleted. */
  async #createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    const known = new Map(this.#knownClaims(set, pod).map((claim) => [claim.metadata?.name, claim]));
    for (const claim of claimsOf(set, pod)) {
      const name = claim.metadata?.name ?? "";
      const found = known.get(name);
      if (found?.metadata?.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`);
      if (found === undefined) await this.#createClaim(set, pod, claim);
    }
  }

  async #createClaim(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): Promise<void> {
    const [name, of] = [claim.metadata?.name ?? "", `in StatefulSet ${set.metadata?.name ?? ""}`];
    const podName = pod.metadata?.name ?? "";
    try {
      await this.#claimClient(set).create(claim);
      this.recorder.event(set, "Normal", "SuccessfulCreate", `create Claim ${name} Pod ${podName} ${of} success`);
    } catch (error) {
      // The cache was behind.
      if (isAlreadyExists(error)) return;
      const { message } = error as Error;
      this.recorder.event(
        set,
        "Warning",
        "FailedCreate",
        `create Claim ${name} for Pod ${podName} ${of} failed error: ${message}`,
      );
      throw new Error(`failed to create PVC ${name}: ${message}`, { cause: error });
    }
  }

  async #updateIdentity(set: StatefulSet, pod: Pod): Promise<void> {
    const wanted = withIdentity(pod);
    if (wanted === undefined) return;
    await this.client.of("v1", "Pod").namespace(namespaceOf(set)).update(wanted);
    this.#record("update", set, pod);
  }

  async #updateClaimOwners(set: StatefulSet, pod: Pod): Promise<void> {
    for (const claim of this.#knownClaims(set, pod)) {
      const ownerReferences = claimOwners(set, pod, claim);
      if (ownerReferences === undefined) continue;
      await this.#claimClient(set).update({
        ...claim,
        metadata: { ...claim.metadata, ownerReferences: [...ownerReferences] },
      });
    }
  }

  /** The claims of the pod that the cache has. */
  #knownClaims(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
    const cached = this.claims.namespace(namespaceOf(set));
    return claimsOf(set, pod).flatMap(({ metadata }) => cached.get(metadata?.name ?? "") ?? []);
  }

  #claimClient(set: StatefulSet) {
    return this.client.of("v1", "PersistentVolumeClaim").namespace(namespaceOf(set));
  }

  #record(verb: "create" | "delete" | "update", set: StatefulSet, pod: Pod, error?: unknown): void {
    const what = `${verb} Pod ${pod.metadata?.name ?? ""} in StatefulSet ${set.metadata?.name ?? ""}`;
    const suffix = `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`;
    if (error === undefined) this.recorder.event(set, "Normal", `Successful${suffix}`, `${what} successful`);
    else this.recorder.event(set, "Warning", `Failed${suffix}`, `${what} failed error: ${(error as Error).message}`);
  }
}

const namespaceOf = ({ metadata }: StatefulSet): string => metadata?.namespace ?? "";

const POD = { apiVersion: "v1", kind: "Pod" } as const;

/** The claims of a pod: one for each of the set's templates, with the labels that the set selects. */
export function claimsOf(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
  const { namespace } = set.metadata ?? {};
  return (set.spec?.volumeClaimTemplates ?? []).map(
    (template) =>
      ({
        ...template,
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          ...template.metadata,
          name: claimName(set, template, ordinalOf(pod)),
          ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
          labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
        },
      }) satisfies PersistentVolumeClaim,
  );
}

interface RetentionPolicy {
  readonly deletesWithSet: boolean;
  readonly deletesWithScale: boolean;
}

export function retentionOf({ spec }: StatefulSet): RetentionPolicy {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { deletesWithSet: whenDeleted === "Delete", deletesWithScale: whenScaled === "Delete" };
}

/**
 * The owners that a claim should have by the set's retention policy: the set, so that the claim is deleted with it, or a pod that
 * the set no longer wants. Undefined when it has them. A claim that another controller manages gets neither.
 */
export function claimOwners(
  set: StatefulSet,
  pod: Pod,
  { metadata }: PersistentVolumeClaim,
): readonly OwnerReference[] | undefined {
  const refs = metadata?.ownerReferences ?? [];
  const others = refs.filter((ref) => !names(ref, set, STATEFUL_SET) && !names(ref, pod, POD));
  const isManaged = others.some(({ controller }) => controller === true);
  const wanted = isManaged ? [...others] : [...others, ...ownersBy(set, pod)];
  return sameOwners(refs, wanted) ? undefined : wanted;
}

function ownersBy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { deletesWithSet, deletesWithScale } = retentionOf(set);
  if (deletesWithScale && !isWanted(set, pod)) return [controllerReference(POD, pod)];
  return deletesWithSet ? [controllerReference(STATEFUL_SET, set)] : [];
}

/** Whether the claim belongs to an earlier pod of this name: the new pod must wait until it is deleted. */
export function isStale(set: StatefulSet, pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (!retentionOf(set).deletesWithScale) return false;
  const ref = metadata?.ownerReferences?.find((one) => names(one, pod, POD));
  return ref !== undefined && ref.uid !== pod.metadata?.uid;
}

const names = (ref: OwnerReference, object: ApiObject, kind: ControllerKind): boolean =>
  refersTo(ref, kind) && ref.name === object.metadata?.name;

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return (
    a.length === b.length &&
    a.every((ref, index) => ref.uid === b[index]?.uid && (ref.controller === true) === (b[index]?.controller === true))
  );
}
