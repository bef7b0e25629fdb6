import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ReplicaSetCondition, ReplicaSetStatus, ReplicaSet } from "../../api/types/apps/v1.js";
import type { Pod, PodTemplateSpec, ReplicationController } from "../../api/types/core/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { type Lister, objectKey } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import type { ControllerContext } from "../context.js";
import { claim } from "../owned-pods/claim.js";
import {
  type ControllerKind,
  controllerOf,
  controllerReference,
  type ControlledObjects,
  controlledObjects,
} from "../owned-pods/controller-ref.js";
import { crowdOn, inDeletionOrder } from "../owned-pods/deletion-order.js";
import { Expectations } from "../owned-pods/expectations.js";
import { followPods } from "../owned-pods/owned-pods.js";
import { type PodControl, podControl, podFromTemplate, slowStart } from "../owned-pods/pod-control.js";
import { isActive, isTerminating, isAvailable, isReady } from "../owned-pods/pod-state.js";
import { unlessChanged, writeStatus } from "../writes.js";
import { own } from "../../base/collections/own.js";
import { formatTime } from "../../machinery/meta/time.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";

/** A ReplicaSet or a ReplicationController, which one controller serves. */
export interface Replicas extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaKind<O extends Replicas> extends ControllerKind {
  readonly objects: ResourceClient<O>;
  readonly owners: Lister<O>;
  /** Undefined for one that cannot be read. */
  readonly selectorOf: (owner: O) => LabelSelector | undefined;
  /** Whether the status counts the pods that are being deleted. */
  readonly countsTerminating: boolean;
  /** What events name as their source. */
  readonly component: string;
  /** Objects that have the same owner as this one, itself among them: their pods crowd nodes together. */
  readonly siblings: (owner: O) => readonly O[];
  readonly enqueue: (key: string, afterMilliseconds?: number) => void;
}

/** At most so many pods are created or deleted in one reconciliation. */
const BURST = 500;

/** Keeps as many pods of the template as an object wants: creates, deletes, adopts and releases them, and counts them. */
class ReplicaController<O extends Replicas> {
  readonly #expectations: Expectations;
  readonly #pods: ControlledObjects<Pod>;
  readonly #control: PodControl;

  constructor(
    private readonly context: ControllerContext,
    private readonly kind: ReplicaKind<O>,
  ) {
    this.#expectations = new Expectations(context.clock);
    this.#control = podControl(context.client, context.recorder({ component: kind.component }));
    this.#pods = followPods(context.manager.informers, {
      kind,
      owners: kind.owners,
      selectorOf: (owner) => kind.selectorOf(owner),
      expectations: this.#expectations,
      enqueue: kind.enqueue,
      minReadySeconds: ({ spec }) => spec?.minReadySeconds ?? 0,
    });
  }

  async reconcile(namespace: string, name: string, owner: O | undefined): Promise<ReconcileResult> {
    const key = `${namespace}/${name}`;
    if (owner === undefined) return this.#expectations.forget(key);
    const mayAct = this.#expectations.satisfied(key);
    const selector = this.kind.selectorOf(owner);
    if (selector === undefined) return;
    const candidates = this.#pods.candidates(owner);
    const active = await claim(candidates.filter(isActive), {
      objects: this.context.client.of("v1", "Pod").namespace(namespace),
      owner,
      ownerKind: this.kind,
      readOwner: () => this.kind.objects.namespace(namespace).get(name),
      selector,
    });
    let failure: unknown;
    if (mayAct && owner.metadata?.deletionTimestamp === undefined) {
      failure = await this.#manage(key, owner, active).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    const uid = owner.metadata?.uid;
    const terminating = candidates.filter((pod) => controllerOf(pod)?.uid === uid && isTerminating(pod)).length;
    const { minReadySeconds = 0, template } = owner.spec ?? {};
    const wanted = owner.spec?.replicas ?? 1;
    const status = replicaStatus(owner.status ?? {}, {
      wanted,
      generation: owner.metadata?.generation ?? 0,
      template,
      minReadySeconds,
      active,
      terminating: this.kind.countsTerminating ? terminating : undefined,
      failure,
      now: this.context.clock.now(),
    });
    await this.#writeStatus(owner, status);
    if (failure !== undefined) throw failure;
    const { readyReplicas = 0, availableReplicas = 0 } = status;
    if (minReadySeconds > 0 && readyReplicas === wanted && availableReplicas !== wanted) {
      return { requeueAfterMilliseconds: minReadySeconds * 1000 };
    }
  }

  /** Creates the pods that are missing, or deletes those that are too many. */
  async #manage(key: string, owner: O, active: readonly Pod[]): Promise<void> {
    const missing = (owner.spec?.replicas ?? 1) - active.length;
    if (missing > 0) await this.#create(key, owner, Math.min(missing, BURST));
    else if (missing < 0) await this.#delete(key, owner, active, Math.min(-missing, BURST));
  }

  async #create(key: string, owner: O, count: number): Promise<void> {
    this.#expectations.expect(key, { creations: count });
    const pod = podFromTemplate(owner.spec?.template ?? {}, owner, controllerReference(this.kind, owner));
    const { succeeded, error } = await slowStart(count, async () => {
      await this.#control.create(owner, pod);
    });
    this.#expectations.created(key, count - succeeded);
    if (error !== undefined) throw error;
  }

  async #delete(key: string, owner: O, active: readonly Pod[], count: number): Promise<void> {
    const chosen = (count < active.length ? this.#inDeletionOrder(owner, active) : active).slice(0, count);
    this.#expectations.expect(key, { deletions: chosen.map(objectKey) });
    const results = await Promise.allSettled(
      chosen.map(async (pod) => {
        try {
          await this.#control.delete(owner, pod);
        } catch (error) {
          // The cache will not show this deletion, or has shown it.
          this.#expectations.deleted(key, objectKey(pod));
          if (!isNotFound(error)) throw error;
        }
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #inDeletionOrder(owner: O, active: readonly Pod[]): readonly Pod[] {
    const related = this.kind.siblings(owner).flatMap(({ metadata }) => this.#pods.controlledBy(metadata?.uid ?? ""));
    return inDeletionOrder(active, { crowd: crowdOn(related.filter(isActive)), now: this.context.clock.now() });
  }

  async #writeStatus(owner: O, status: ReplicaSetStatus): Promise<void> {
    await unlessChanged(writeStatus(this.kind.objects, owner, status));
  }
}

export interface ObservedReplicas {
  readonly wanted: number;
  readonly generation: number;
  readonly template: PodTemplateSpec | undefined;
  readonly minReadySeconds: number;
  readonly active: readonly Pod[];
  /** How many pods are being deleted; undefined for a kind that does not count them. */
  readonly terminating: number | undefined;
  /** Why pods could not be created or deleted. */
  readonly failure: unknown;
  /** In milliseconds. */
  readonly now: number;
}

/** The status of a ReplicaSet or ReplicationController whose status was `before`. Counts of 0 are left out, as on the wire. */
function replicaStatus(before: Partial<ReplicaSetStatus>, observed: ObservedReplicas): ReplicaSetStatus {
  const { active, minReadySeconds, now, terminating, generation } = observed;
  const labels = Object.entries(observed.template?.metadata?.labels ?? {});
  const labelled = active.filter(({ metadata }) =>
    labels.every(([key, value]) => own(metadata?.labels, key) === value),
  );
  const ready = active.filter(isReady);
  const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, now));
  const conditions = conditionsAfter(before.conditions ?? [], observed);
  return {
    replicas: active.length,
    ...positive("fullyLabeledReplicas", labelled.length),
    ...positive("readyReplicas", ready.length),
    ...positive("availableReplicas", available.length),
    ...(terminating !== undefined && ({ terminatingReplicas: terminating } satisfies FieldsOf<ReplicaSetStatus>)),
    ...positive("observedGeneration", generation),
    ...(conditions.length > 0 && ({ conditions } satisfies FieldsOf<ReplicaSetStatus>)),
  };
}

type Conditions = NonNullable<ReplicaSetStatus["conditions"]>;

function conditionsAfter(before: Conditions, { failure, active, wanted, now }: ObservedReplicas): Conditions {
  const others = before.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < before.length) return before;
  const reason = active.length < wanted ? "FailedCreate" : active.length > wanted ? "FailedDelete" : "";
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(now),
    ...(reason !== "" && ({ reason } satisfies FieldsOf<ReplicaSetCondition>)),
    message: (failure as Error).message,
  } as const satisfies FieldsOf<ReplicaSetCondition>;
  return [...others, condition];
}

const positive = <K extends string>(field: K, count: number): { readonly [F in K]?: number } =>
  count === 0 ? {} : ({ [field]: count } as { readonly [F in K]: number });

const REPLICA_SET = { apiVersion: "apps/v1", kind: "ReplicaSet" } as const;

/** Creates and deletes pods until each ReplicaSet has as many as it wants. */
export function replicaSetController(context: ControllerContext): void {
  const { client, manager } = context;
  const sets = manager.informers.of(REPLICA_SET.apiVersion, REPLICA_SET.kind);
  const controlled = controlledObjects(sets);
  const siblings = (set: ReplicaSet): readonly ReplicaSet[] => {
    const owner = controllerOf(set);
    return owner === undefined ? [set] : controlled.controlledBy(owner.uid);
  };
  const replicas = new ReplicaController<ReplicaSet>(context, {
    ...REPLICA_SET,
    objects: client.of(REPLICA_SET.apiVersion, REPLICA_SET.kind),
    owners: sets.lister,
    selectorOf: ({ spec }) => readSelector(spec?.selector),
    countsTerminating: true,
    component: "replicaset-controller",
    siblings,
    enqueue: (key, after) => controller.enqueue(key, after),
  });
  const controller = manager
    .controllerFor(REPLICA_SET.apiVersion, REPLICA_SET.kind)
    .named("replicaset-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reconcile(({ namespace, name, object }) => replicas.reconcile(namespace, name, object));
}

const REPLICATION_CONTROLLER = { apiVersion: "v1", kind: "ReplicationController" } as const;

/** Manages the pods of ReplicationControllers, as those of ReplicaSets. */
export function replicationController(context: ControllerContext): void {
  const { client, manager } = context;
  const replicas = new ReplicaController<ReplicationController>(context, {
    ...REPLICATION_CONTROLLER,
    objects: client.of(REPLICATION_CONTROLLER.apiVersion, REPLICATION_CONTROLLER.kind),
    owners: manager.informers.of(REPLICATION_CONTROLLER.apiVersion, REPLICATION_CONTROLLER.kind).lister,
    selectorOf: ({ spec }) => readSelector({ matchLabels: spec?.selector ?? {} }),
    countsTerminating: false,
    component: "replication-controller",
    siblings: (owner) => [owner],
    enqueue: (key, after) => controller.enqueue(key, after),
  });
  const controller = manager
    .controllerFor(REPLICATION_CONTROLLER.apiVersion, REPLICATION_CONTROLLER.kind)
    .named("replicationcontroller-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reconcile(({ namespace, name, object }) => replicas.reconcile(namespace, name, object));
}
