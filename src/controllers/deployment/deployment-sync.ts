import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { Release } from "../../api/facts/index.js";
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../api/types/apps/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isAlreadyExists } from "../../machinery/errors/status-error.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { controllerOf } from "../owned-pods/controller-ref.js";
import { isNamespaceTerminating } from "../owned-pods/pod-control.js";
import { isOver } from "../owned-pods/pod-state.js";
import {
  maxRevision,
  newSetAnnotations,
  REVISION,
  ROLLBACK_TO,
  lastRevision,
  revisionOf,
  rolledBackAnnotations,
} from "./annotations.js";
import {
  condition,
  conditionOf,
  withCondition,
  deadlineIn,
  hasDeadline,
  isComplete,
  pausedCondition,
  rolloutStatus,
  deploymentStatus,
} from "./status.js";
import { isRolling, newSetSize, wantedReplicas } from "./fenceposts.js";
import { newReplicaSet, ReplicaSetWriter } from "./replica-set-writer.js";
import {
  allOf,
  counted,
  equalIgnoringHash,
  type Generations,
  generationsOf,
  nameOf,
  sizeOf,
  HASH_LABEL,
} from "./replica-sets.js";
import { scale, shrinkOldSets, wasScaled } from "./scaling.js";
import { writeStatus } from "../writes.js";

export const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" } as const;

export interface SyncParts {
  /** Both in the Deployment's namespace. */
  readonly deployments: ResourceClient<Deployment>;
  readonly sets: ResourceClient<ReplicaSet>;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** The version of Kubernetes by which pod templates are hashed. */
  readonly release: Release;
}

/** One reconciliation of one Deployment. It holds the Deployment as its last write returned it. */
export class DeploymentSync {
  readonly #sets: ReplicaSetWriter;

  constructor(
    private deployment: Deployment,
    private readonly parts: SyncParts,
  ) {
    this.#sets = new ReplicaSetWriter(parts.sets, parts.recorder);
  }

  /** `claimed`: the Deployment's ReplicaSets. `podsOf`: the pods of one, those that are being deleted among them. */
  async run(claimed: readonly ReplicaSet[], podsOf: (set: ReplicaSet) => readonly Pod[]): Promise<ReconcileResult> {
    const { metadata, spec } = this.deployment;
    if (metadata?.deletionTimestamp !== undefined) {
      return this.#writeStatus(deploymentStatus(this.deployment, await this.#generations(claimed), this.#now));
    }
    const paused = pausedCondition(this.deployment, this.#now);
    if (paused !== undefined) await this.#writeCondition(paused);
    if (spec?.paused === true) return this.#resize(await this.#generations(claimed));
    if (metadata?.annotations?.[ROLLBACK_TO] !== undefined) return this.#rollBack(claimed);
    const generations = generationsOf(this.deployment, claimed);
    if (wasScaled(this.deployment, generations)) return this.#resize(await this.#generations(claimed));
    if (isRolling(this.deployment)) return this.#roll(claimed);
    return this.#recreate(claimed, podsOf);
  }

  /** Does nothing but tell so: the server refuses such selectors, older objects may have them. */
  async refuseToSelectEverything(): Promise<void> {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    this.parts.recorder.event(this.deployment, "Warning", "SelectingAll", message);
    const { metadata, status } = this.deployment;
    await this.#writeStatus({ ...status, observedGeneration: metadata?.generation ?? 0 });
  }

  get #now(): number {
    return this.parts.clock.now();
  }

  /** After a change of size and while the Deployment is paused: no new template is rolled out. */
  async #resize(generations: Generations): Promise<ReconcileResult> {
    const resized = await this.#sets.resize(this.deployment, generations, scale(this.deployment, generations));
    if (this.deployment.spec?.paused === true) await this.#sets.cleanUp(this.deployment, resized);
    return this.#writeStatus(deploymentStatus(this.deployment, resized, this.#now));
  }

  async #roll(claimed: readonly ReplicaSet[]): Promise<ReconcileResult> {
    const generations = await this.#withNewSet(claimed);
    const { newSet } = generations ?? {};
    if (generations === undefined || newSet === undefined) return;
    const wanted = wantedReplicas(this.deployment);
    const size = sizeOf(newSet);
    const next = size > wanted ? wanted : newSetSize(this.deployment, allOf(generations), newSet);
    if (next !== size) {
      return this.#finishStep(await this.#sets.resize(this.deployment, generations, [{ set: newSet, size: next }]));
    }
    return this.#finishStep(
      await this.#sets.resize(this.deployment, generations, shrinkOldSets(this.deployment, generations)),
    );
  }

  async #recreate(
    claimed: readonly ReplicaSet[],
    podsOf: (set: ReplicaSet) => readonly Pod[],
  ): Promise<ReconcileResult> {
    const before = await this.#generations(claimed);
    const shrinking = before.old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, size: 0 }));
    if (shrinking.length > 0) return this.#finishStep(await this.#sets.resize(this.deployment, before, shrinking));
    const hasOldPods = before.old.some((set) => podsOf(set).some((pod) => !isOver(pod)));
    if (hasOldPods || counted(before.old, "replicas") > 0) return this.#finishStep(before);
    const generations = before.newSet === undefined ? await this.#withNewSet(claimed) : before;
    const { newSet } = generations ?? {};
    if (generations === undefined || newSet === undefined) return;
    const wanted = wantedReplicas(this.deployment);
    const grown = sizeOf(newSet) === wanted ? [] : [{ set: newSet, size: wanted }];
    return this.#finishStep(await this.#sets.resize(this.deployment, generations, grown));
  }

  async #finishStep(generations: Generations): Promise<ReconcileResult> {
    if (isComplete(this.deployment, this.deployment.status ?? {}))
      await this.#sets.cleanUp(this.deployment, generations);
    await this.#writeStatus(rolloutStatus(this.deployment, generations, this.#now));
    const after = deadlineIn(this.deployment, this.#now);
    return after === undefined ? undefined : { requeueAfterMilliseconds: after };
  }

  async #rollBack(claimed: readonly ReplicaSet[]): Promise<void> {
    const generations = await this.#withNewSet(claimed);
    if (generations === undefined) return;
    const { deployment, type, reason, message } = rollBack(this.deployment, allOf(generations));
    this.deployment = await this.parts.deployments.update(deployment);
    this.parts.recorder.event(deployment, type, reason, message);
  }

  /** The sets, with the annotations of the new one brought up to date when there is one. */
  async #generations(claimed: readonly ReplicaSet[]): Promise<Generations> {
    const { newSet, old } = generationsOf(this.deployment, claimed);
    return { newSet: newSet === undefined ? undefined : await this.#updateNewSet(newSet, maxRevision(old) + 1), old };
  }

  /** As {@link #generations}; makes the new set when there is none. Undefined in a namespace that is being deleted. */
  async #withNewSet(claimed: readonly ReplicaSet[]): Promise<Generations | undefined> {
    const generations = await this.#generations(claimed);
    if (generations.newSet !== undefined) return generations;
    const newSet = await this.#createNewSet(generations.old);
    return newSet === undefined ? undefined : { newSet, old: generations.old };
  }

  async #updateNewSet(set: ReplicaSet, revision: number): Promise<ReplicaSet> {
    const annotations = newSetAnnotations(this.deployment, set, revision);
    const { minReadySeconds = 0 } = this.deployment.spec ?? {};
    const isSame = deepEqual(set.metadata?.annotations ?? {}, annotations);
    if (!isSame || (set.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const { spec } = set;
      return this.parts.sets.update({
        ...set,
        metadata: { ...set.metadata, annotations },
        ...(spec && ({ spec: { ...spec, minReadySeconds } } satisfies FieldsOf<ReplicaSet>)),
      });
    }
    const progress =
      hasDeadline(this.deployment) && conditionOf(this.deployment.status?.conditions, "Progressing") === undefined
        ? condition("Progressing", "True", "FoundNewReplicaSet", `Found new replica set "${nameOf(set)}"`, this.#now)
        : undefined;
    await this.#writeRevision(annotations[REVISION] ?? "", progress);
    return set;
  }

  async #createNewSet(old: readonly ReplicaSet[]): Promise<ReplicaSet | undefined> {
    const { recorder, sets, release } = this.parts;
    const revision = maxRevision(old) + 1;
    const wanted = newReplicaSet(this.deployment, { owner: DEPLOYMENT, old, revision, release });
    let created: ReplicaSet;
    let existed = false;
    try {
      created = await sets.create(wanted);
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (!isAlreadyExists(error)) throw await this.#reportFailedCreation(wanted, error);
      created = await this.#existing(wanted, error);
      existed = true;
    }
    const size = sizeOf(created);
    if (!existed && size > 0) {
      const message = `Scaled up replica set ${nameOf(created)} from 0 to ${size}`;
      recorder.event(this.deployment, "Normal", "ScalingReplicaSet", message);
    }
    const progress =
      !existed && hasDeadline(this.deployment)
        ? condition(
            "Progressing",
            "True",
            "NewReplicaSetCreated",
            `Created new replica set "${nameOf(created)}"`,
            this.#now,
          )
        : undefined;
    await this.#writeRevision(String(revision), progress);
    return created;
  }

  /** The set of that name when it is the wanted one, which the cache does not show yet. Else the next name differs, by the collision count. */
  async #existing(wanted: ReplicaSet, error: unknown): Promise<ReplicaSet> {
    const { metadata, spec, status } = this.deployment;
    const found = await this.parts.sets.get(nameOf(wanted));
    const isOwn = controllerOf(found)?.uid === metadata?.uid;
    if (isOwn && equalIgnoringHash(found.spec?.template ?? {}, spec?.template ?? {})) return found;
    await this.#writeStatus({ ...status, collisionCount: (status?.collisionCount ?? 0) + 1 });
    throw error;
  }

  async #reportFailedCreation(wanted: ReplicaSet, error: unknown): Promise<unknown> {
    const message = `Failed to create new replica set "${nameOf(wanted)}": ${(error as Error).message}`;
    if (hasDeadline(this.deployment)) {
      await this.#writeCondition(condition("Progressing", "False", "ReplicaSetCreateError", message, this.#now));
    }
    this.parts.recorder.event(this.deployment, "Warning", "ReplicaSetCreateError", message);
    return error;
  }

  #writeCondition(added: DeploymentCondition): Promise<void> {
    const { status } = this.deployment;
    return this.#writeStatus({ ...status, conditions: withCondition(status?.conditions ?? [], added) });
  }

  /** The annotation of the revision, which clients write with the status, too. */
  async #writeRevision(revision: string, progress: DeploymentCondition | undefined): Promise<void> {
    const { metadata, status } = this.deployment;
    if (metadata?.annotations?.[REVISION] === revision && progress === undefined) return;
    const conditions = progress === undefined ? undefined : withCondition(status?.conditions ?? [], progress);
    this.deployment = await this.parts.deployments.updateStatus({
      ...this.deployment,
      metadata: { ...metadata, annotations: { ...metadata?.annotations, [REVISION]: revision } },
      status: { ...status, ...(conditions && ({ conditions } satisfies FieldsOf<DeploymentStatus>)) },
    });
  }

  async #writeStatus(status: DeploymentStatus): Promise<void> {
    this.deployment = (await writeStatus(this.parts.deployments, this.deployment, status)) ?? this.deployment;
  }
}

export interface Rollback {
  /** Without the request to roll back. */
  readonly deployment: Deployment;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * Rolls a Deployment back to the template of the revision that its annotation names; "0" names the last revision. Old clients ask
 * for rollbacks this way.
 */
export function rollBack(deployment: Deployment, sets: readonly ReplicaSet[]): Rollback {
  const { [ROLLBACK_TO]: asked = "", ...annotations } = deployment.metadata?.annotations ?? {};
  const cleared = {
    ...deployment,
    metadata: { ...deployment.metadata, annotations } satisfies FieldsOf<ObjectMeta>,
  } satisfies FieldsOf<Deployment>;
  const notFound = (message: string): Rollback =>
    ({ deployment: cleared, type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message }) as const;
  const revision = Number(asked) || lastRevision(sets);
  if (revision === 0) return notFound("Unable to find last revision.");
  const set = sets.find((one) => revisionOf(one) === revision);
  const template = set?.spec?.template;
  if (set === undefined || template === undefined) return notFound("Unable to find the revision to rollback to.");
  const name = deployment.metadata?.name ?? "";
  if (deployment.spec === undefined || equalIgnoringHash(template, deployment.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    return { deployment: cleared, type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message };
  }
  const { [HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {};
  return {
    deployment: {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: rolledBackAnnotations(deployment, set) },
      spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } },
    },
    type: "Normal",
    reason: "DeploymentRollback",
    message: `Rolled back deployment "${name}" to revision ${revision}`,
  };
}
