import type { FieldsOf } from "../../machinery/meta/received.js";
import type { LabelSelector } from "../../api/types/meta/v1.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { Release } from "../../api/facts/index.js";
import type { ReplicaSetSpec, Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { revisionOf, sizeAnnotations, newSetAnnotations } from "./annotations.js";
import { type Generations, nameOf, sizeOf, HASH_LABEL } from "./replica-sets.js";
import type { Resize } from "./scaling.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { type ControllerKind, controllerReference } from "../owned-pods/controller-ref.js";
import { podTemplateHash } from "../template-hash/template-hash.js";
import { newSetSize } from "./fenceposts.js";

/** Resizes and deletes the ReplicaSets of Deployments. */
export class ReplicaSetWriter {
  constructor(
    private readonly sets: ResourceClient<ReplicaSet>,
    private readonly recorder: EventRecorder,
  ) {}

  /** Gives sets their sizes, in order, and records it. A set may have several. Answers the sets as they are then. */
  async resize(deployment: Deployment, generations: Generations, resizes: readonly Resize[]): Promise<Generations> {
    const resized = new Map<string, ReplicaSet>();
    const current = (set: ReplicaSet): ReplicaSet => resized.get(set.metadata?.uid ?? "") ?? set;
    for (const { set, size } of resizes) {
      resized.set(set.metadata?.uid ?? "", await this.#resizeOne(deployment, current(set), size));
    }
    const { newSet, old } = generations;
    return { newSet: newSet && current(newSet), old: old.map(current) };
  }

  async #resizeOne(deployment: Deployment, set: ReplicaSet, size: number): Promise<ReplicaSet> {
    const before = sizeOf(set);
    const annotations = { ...set.metadata?.annotations, ...sizeAnnotations(deployment) };
    const isSame = deepEqual(set.metadata?.annotations ?? {}, annotations);
    if (before === size && isSame) return set;
    const { spec } = set;
    const updated = await this.sets.update({
      ...set,
      metadata: { ...set.metadata, annotations },
      ...(spec && ({ spec: { ...spec, replicas: size } } satisfies FieldsOf<ReplicaSet>)),
    });
    if (before !== size) {
      const message = `Scaled ${before < size ? "up" : "down"} replica set ${nameOf(set)} from ${before} to ${size}`;
      this.recorder.event(deployment, "Normal", "ScalingReplicaSet", message);
    }
    return updated;
  }

  /** Deletes the oldest revisions beyond the Deployment's limit, where they are empty. */
  async cleanUp({ spec }: Deployment, { old }: Generations): Promise<void> {
    const limit = spec?.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return;
    const kept = old.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const byRevision = kept.sort((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0));
    for (const set of byRevision.slice(0, Math.max(0, kept.length - limit))) {
      const observed = (set.status?.observedGeneration ?? 0) >= (set.metadata?.generation ?? 0);
      if ((set.status?.replicas ?? 0) > 0 || sizeOf(set) > 0 || !observed) continue;
      try {
        await this.sets.delete(nameOf(set));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

/** Makes the ReplicaSet of a new template. Its name and label contain the template's hash. */
export function newReplicaSet(
  deployment: Deployment,
  {
    owner,
    old,
    revision,
    release,
  }: { owner: ControllerKind; old: readonly ReplicaSet[]; revision: number; release: Release },
): ReplicaSet {
  const { name = "", namespace } = deployment.metadata ?? {};
  const { selector, minReadySeconds = 0, template: wanted } = deployment.spec;
  const hash = podTemplateHash(wanted, deployment.status?.collisionCount, release);
  const labels = { ...wanted.metadata?.labels, [HASH_LABEL]: hash };
  const template: PodTemplateSpec = { ...wanted, metadata: { ...wanted.metadata, labels } };
  const spec = {
    replicas: 0,
    ...(minReadySeconds > 0 && ({ minReadySeconds } satisfies FieldsOf<ReplicaSetSpec>)),
    selector: {
      ...selector,
      matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash },
    } satisfies FieldsOf<LabelSelector>,
    template,
  } satisfies FieldsOf<ReplicaSetSpec>;
  const metadata = {
    name: `${name}-${hash}`,
    ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
    labels,
    ownerReferences: [controllerReference(owner, deployment)],
  };
  const set: ReplicaSet = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec };
  const annotations = { ...newSetAnnotations(deployment, set, revision), ...sizeAnnotations(deployment) };
  const replicas = newSetSize(deployment, [...old, set], set);
  return { ...set, metadata: { ...metadata, annotations }, spec: { ...spec, replicas } };
}
