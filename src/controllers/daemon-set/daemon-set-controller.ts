import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Release } from "../../api/facts/index.js";
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "../../api/types/apps/v1.js";
import type { Node, Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { EventRecorder } from "../../client/events/index.js";
import { type Lister, objectKey } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import {
  inRevisionOrder,
  nameOf,
  REVISION,
  truncateHistory,
  controllerRevision,
  createRevision,
  nextRevision,
} from "../history/controller-revisions.js";
import { claim } from "../owned-pods/claim.js";
import { type ControlledObjects, controlledObjects, controllerReference } from "../owned-pods/controller-ref.js";
import { Expectations } from "../owned-pods/expectations.js";
import { followPods } from "../owned-pods/owned-pods.js";
import { type PodControl, podControl, podFromTemplate, slowStart } from "../owned-pods/pod-control.js";
import { isOver, isAvailable, isReady } from "../owned-pods/pod-state.js";
import { hasHash, nodeOf, templateFor, fitOn, isUpdated, oldestFirst, HASH_LABEL } from "./daemon-pod.js";
import { type DaemonState, type DaemonSteps, manage, type ManagedSteps } from "./manage.js";
import { rollingUpdate } from "./rolling-update.js";
import { writeStatus } from "../writes.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { hasData, revisionData } from "../history/revision-data.js";
import { podTemplateHash } from "../template-hash/template-hash.js";

const DAEMON_SET = { apiVersion: "apps/v1", kind: "DaemonSet" } as const;

export interface DaemonRevisions {
  /** That of the set's template. */
  readonly current: ControllerRevision;
  /** In order. */
  readonly old: readonly ControllerRevision[];
}

/** What pods of a revision have as their label; a revision without one gives its name. */
const hashOf = (revision: ControllerRevision): string => revision.metadata?.labels?.[HASH_LABEL] ?? nameOf(revision);

/**
 * Finds the revision of the set's template, as the newest, or creates it. Undefined when its name is taken by other data: then
 * the set's collision count must grow.
 */
async function daemonRevisions(
  set: DaemonSet,
  sorted: readonly ControllerRevision[],
  revisions: ResourceClient<ControllerRevision>,
  release: Release,
): Promise<DaemonRevisions | undefined> {
  const template = set.spec?.template ?? {};
  const data = revisionData(template);
  const found = sorted.findLast((one) => hasData(one, data));
  const old = sorted.filter((one) => !hasData(one, data));
  const revision = nextRevision(old);
  if (found !== undefined) {
    const current = (found.revision ?? 0) < revision ? await revisions.update({ ...found, revision }) : found;
    return { current, old };
  }
  const hash = podTemplateHash(template, set.status?.collisionCount, release);
  const wanted = { owner: set, ownerKind: DAEMON_SET, template, data, revision, hashLabel: HASH_LABEL, hash };
  const current = await createRevision(revisions, controllerRevision(wanted));
  return current === undefined ? undefined : { current, old };
}

const FIRST_MS = 1000;
const LONGEST_MS = 15 * 60_000;

interface Entry {
  readonly wait: number;
  readonly since: number;
}

/** Delays the replacement of failed pods: a second, then twice as long each time, up to 15 minutes. */
export class FailedPodsBackoff {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds that a pod of this key must still be left. When it need not, that counts as a replacement. */
  replace(key: string): number {
    const now = this.clock.now();
    const last = this.#entries.get(key);
    const age = now - (last?.since ?? now);
    if (last !== undefined && age < last.wait) return last.wait - age;
    const isRecent = last !== undefined && age <= 2 * LONGEST_MS;
    this.#entries.set(key, { wait: isRecent ? Math.min(2 * last.wait, LONGEST_MS) : FIRST_MS, since: now });
    return 0;
  }

  /** Forgets what began with this. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}

/** At most so many pods are created, and deleted, in one reconciliation. */
const BURST = 250;

/** Runs one pod of each DaemonSet on every node that may run it. */
export function daemonSetController(context: ControllerContext): void {
  const { manager } = context;
  const { informers } = manager;
  const sets = informers.of(DAEMON_SET.apiVersion, DAEMON_SET.kind).lister;
  const expectations = new Expectations(context.clock);
  const pods = followPods(informers, {
    kind: DAEMON_SET,
    owners: sets,
    selectorOf: ({ spec }) => readSelector(spec?.selector),
    expectations,
    enqueue: (key, after) => controller.enqueue(key, after),
    minReadySeconds: ({ spec }) => spec?.minReadySeconds ?? 0,
  });
  const reconciler = new DaemonSetReconciler(context, pods, expectations);
  const controller = manager
    .controllerFor(DAEMON_SET.apiVersion, DAEMON_SET.kind)
    .named("daemonset-controller")
    .workers(2)
    .watches("v1", "Node", () => sets.list().map(namespacedName), { when: mayChangeFit })
    .reads("v1", "Pod")
    .reads(REVISION.apiVersion, REVISION.kind)
    .reconcile(({ namespace, name, object }) => reconciler.reconcile(namespace, name, object));
}

class DaemonSetReconciler {
  readonly #release: Release;
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #nodes: Lister<Stored<Node>>;
  readonly #pods: ControlledObjects<Pod>;
  readonly #revisionsOf: ControlledObjects<Stored<ControllerRevision>>;
  readonly #recorder: EventRecorder;
  readonly #control: PodControl;
  readonly #expectations: Expectations;
  readonly #backoff: FailedPodsBackoff;

  constructor(context: ControllerContext, pods: ControlledObjects<Pod>, expectations: Expectations) {
    const { release, client, manager, clock } = context;
    const { informers } = manager;
    this.#release = release;
    this.#client = client;
    this.#clock = clock;
    this.#nodes = informers.of("v1", "Node").lister;
    this.#pods = pods;
    this.#revisionsOf = controlledObjects(informers.of(REVISION.apiVersion, REVISION.kind));
    this.#recorder = context.recorder({ component: "daemonset-controller" });
    this.#control = podControl(client, this.#recorder);
    this.#expectations = expectations;
    this.#backoff = new FailedPodsBackoff(clock);
  }

  /** `set` is undefined where it was deleted. */
  async reconcile(namespace: string, name: string, set: DaemonSet | undefined): Promise<ReconcileResult> {
    if (set === undefined) {
      this.#backoff.forget(`${namespace}/${name}/`);
      return this.#expectations.forget(`${namespace}/${name}`);
    }
    try {
      return await this.#reconcileSet(namespace, name, set);
    } catch (error) {
      // Deleted, or changed since the cache saw it: the change reconciles the set again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #reconcileSet(namespace: string, name: string, set: DaemonSet): Promise<ReconcileResult> {
    const selector = readSelector(set.spec?.selector);
    if (selector === undefined) return;
    if (selector.empty) {
      const message = "This daemon set is selecting all this.#pods. A non-empty selector is required.";
      return this.#recorder.event(set, "Warning", "SelectingAll", message);
    }
    if (set.metadata?.deletionTimestamp !== undefined) return;
    const mayAct = this.#expectations.satisfied(objectKey(set));
    const objects = this.#client.of(DAEMON_SET.apiVersion, DAEMON_SET.kind).namespace(namespace);
    const revisionClient = this.#client.of(REVISION.apiVersion, REVISION.kind).namespace(namespace);
    const owned = { owner: set, ownerKind: DAEMON_SET, readOwner: () => objects.get(name), selector };
    const sorted = inRevisionOrder(
      await claim(this.#revisionsOf.candidates(set), { ...owned, objects: revisionClient }),
    );
    const own = await claim(this.#pods.candidates(set), {
      ...owned,
      objects: this.#client.of("v1", "Pod").namespace(namespace),
    });
    const revisions = await daemonRevisions(set, sorted, revisionClient, this.#release);
    if (revisions === undefined) {
      const collisionCount = (set.status?.collisionCount ?? 0) + 1;
      const status = {
        ...daemonSetStatus(this.#stateOf(set, own, ""), false),
        collisionCount,
      } satisfies FieldsOf<DaemonSetStatus>;
      await writeStatus(objects, set, status);
      return;
    }
    const state = this.#stateOf(set, own, hashOf(revisions.current));
    const managed = mayAct ? manage(state, (node) => this.#backoff.replace(backoffKey(set, node))) : undefined;
    const failure = managed === undefined ? undefined : await this.#act(state, managed);
    const status = daemonSetStatus(state, mayAct);
    await writeStatus(objects, set, status);
    if (failure !== undefined) throw failure;
    const live = new Set(sorted.filter((one) => own.some((pod) => hasHash(pod, hashOf(one)))).map(nameOf));
    const limit = set.spec?.revisionHistoryLimit ?? 10;
    if (mayAct) await truncateHistory(revisionClient, revisions.old, { live, limit });
    return lookAgain(set, status, managed?.retryAfter);
  }

  #stateOf(set: DaemonSet, own: readonly Pod[], hash: string): DaemonState {
    const podsOn = new Map<string, Pod[]>();
    for (const pod of own) {
      const node = isOver(pod) && pod.metadata?.deletionTimestamp !== undefined ? undefined : nodeOf(pod);
      if (node !== undefined) podsOn.set(node, [...(podsOn.get(node) ?? []), pod]);
    }
    return { set, nodes: this.#nodes.list(), podsOn, hash, now: this.#clock.now() };
  }

  /** Answers the first error. */
  async #act(state: DaemonState, managed: ManagedSteps): Promise<unknown> {
    const { set } = state;
    for (const { pod, node } of managed.ended) {
      const what = `daemon pod ${objectKey(pod)} on node ${node}, will try to`;
      if (pod.status?.phase === "Failed") {
        this.#recorder.event(set, "Warning", "FailedDaemonPod", `Found failed ${what} kill it`);
      } else this.#recorder.event(set, "Normal", "SucceededDaemonPod", `Found succeeded ${what} delete it`);
    }
    const isBusy = managed.create.length + managed.delete.length > 0;
    if (isBusy || set.spec?.updateStrategy?.type === "OnDelete") return this.#takeSteps(state, managed);
    return this.#takeSteps(state, rollingUpdate(state));
  }

  async #takeSteps({ set, hash }: DaemonState, steps: DaemonSteps): Promise<unknown> {
    const key = objectKey(set);
    const [create, doomed] = [steps.create.slice(0, BURST), steps.delete.slice(0, BURST)];
    if (create.length + doomed.length === 0) return undefined;
    this.#expectations.expect(key, { creations: create.length, deletions: doomed.map(objectKey) });
    const reference = controllerReference(DAEMON_SET, set);
    const { succeeded, error } = await slowStart(create.length, async (index) => {
      await this.#control.create(set, podFromTemplate(templateFor(set, create[index] ?? "", hash), set, reference));
    });
    this.#expectations.created(key, create.length - succeeded);
    const results = await Promise.allSettled(
      doomed.map(async (pod) => {
        try {
          await this.#control.delete(set, pod);
        } catch (fault) {
          // The cache will not show this deletion, or has shown it.
          this.#expectations.deleted(key, objectKey(pod));
          if (!isNotFound(fault)) throw fault;
        }
      }),
    );
    return error ?? results.find((result) => result.status === "rejected")?.reason;
  }
}

/** Whether other pods may fit on a node than before. */
function mayChangeFit(node: Node, before?: Node): boolean {
  const seen = ({ metadata, spec }: Node) => ({ labels: metadata?.labels ?? {}, taints: spec?.taints ?? [] });
  return before === undefined || !deepEqual(seen(node), seen(before));
}

function lookAgain(set: DaemonSet, status: DaemonSetStatus, retryAfter: number | undefined): ReconcileResult {
  const seconds = status.numberReady === (status.numberAvailable ?? 0) ? 0 : (set.spec?.minReadySeconds ?? 0);
  const after = Math.min(retryAfter ?? Infinity, seconds > 0 ? seconds * 1000 : Infinity);
  if (after < Infinity) return { requeueAfterMilliseconds: after };
}

const backoffKey = (set: DaemonSet, node: string): string =>
  `${objectKey(set)}/${set.metadata?.uid ?? ""}/${set.status?.observedGeneration ?? 0}/${node}`;

const namespacedName = ({ metadata }: DaemonSet) => ({
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});

/** Computes the status of a DaemonSet from the pods on its nodes. `observed`: whether the controller has acted on the current generation. */
export function daemonSetStatus({ set, nodes, podsOn, hash, now }: DaemonState, observed: boolean): DaemonSetStatus {
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [pod] = oldestFirst(podsOn.get(node.metadata?.name ?? "") ?? []);
    if (!fitOn(set, node).mayRun) {
      if (pod !== undefined) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (pod === undefined) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, set.spec?.minReadySeconds ?? 0, now)) counts.available++;
    if (isUpdated(set, pod, hash)) counts.updated++;
  }
  const { observedGeneration = 0, collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...positive("observedGeneration", observed ? (set.metadata?.generation ?? 0) : observedGeneration),
    ...positive("updatedNumberScheduled", counts.updated),
    ...positive("numberAvailable", counts.available),
    ...positive("numberUnavailable", counts.desired - counts.available),
    ...(collisionCount !== undefined && ({ collisionCount } satisfies FieldsOf<DaemonSetStatus>)),
    ...(conditions && ({ conditions } satisfies FieldsOf<DaemonSetStatus>)),
  };
}

const positive = (field: keyof DaemonSetStatus, count: number): Partial<DaemonSetStatus> =>
  count === 0 ? {} : { [field]: count };
