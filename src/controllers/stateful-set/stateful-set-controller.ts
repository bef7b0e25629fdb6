import type { Release } from "../../api/facts/index.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { StatefulSet, StatefulSetStatus, ControllerRevision } from "../../api/types/apps/v1.js";
import type { NamespacedName } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
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
import { templateOf, hasData, revisionData, revisionText } from "../history/revision-data.js";
import { claim } from "../owned-pods/claim.js";
import { type ControlledObjects, controlledObjects } from "../owned-pods/controller-ref.js";
import { Expectations } from "../owned-pods/expectations.js";
import { followPods } from "../owned-pods/owned-pods.js";
import { slowStart } from "../owned-pods/pod-control.js";
import { isMember, revisionOf, STATEFUL_SET, wantedReplicas } from "./identity.js";
import { MemberControl } from "./member-control.js";
import { isOrdered, plan, type Step } from "./plan.js";
import { statefulSetStatus } from "./status.js";
import { writeStatus } from "../writes.js";
import { inOrder } from "../../base/async/turns.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { revisionHash } from "../template-hash/template-hash.js";

/** When a step failed because a cache was behind. */
const SOON_MS = 100;

/** Creates, updates and deletes the pods of StatefulSets. Each has a name and an ordinal, and claims that outlive it. */
export function statefulSetController(context: ControllerContext): void {
  const { client, manager, clock, release, gates } = context;
  const { informers } = manager;
  const sets = informers.of(STATEFUL_SET.apiVersion, STATEFUL_SET.kind).lister;
  const parts: SetParts = {
    client,
    clock,
    release,
    gates,
    revisionsOf: controlledObjects(informers.of(REVISION.apiVersion, REVISION.kind)),
    control: new MemberControl(
      client,
      informers.of("v1", "PersistentVolumeClaim").lister,
      context.recorder({ component: "statefulset-controller" }),
    ),
    pods: followPods(informers, {
      kind: STATEFUL_SET,
      owners: sets,
      selectorOf: ({ spec }) => readSelector(spec?.selector),
      // Names say which pods there are: nothing is created twice.
      expectations: new Expectations(clock),
      enqueue: (key, after) => controller.enqueue(key, after),
      minReadySeconds: ({ spec }) => spec?.minReadySeconds ?? 0,
    }),
  };
  const controller = manager
    .controllerFor(STATEFUL_SET.apiVersion, STATEFUL_SET.kind)
    .named("statefulset-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reads("v1", "PersistentVolumeClaim")
    .reads(REVISION.apiVersion, REVISION.kind)
    .reconcile(async ({ namespace, name, object }) => {
      if (object === undefined) return;
      try {
        return await reconcile({ namespace, name }, object, parts);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
        return { requeueAfterMilliseconds: SOON_MS };
      }
    });
}

interface SetParts extends Pick<ControllerContext, "client" | "clock" | "release" | "gates"> {
  readonly revisionsOf: ControlledObjects<ControllerRevision>;
  readonly control: MemberControl;
  readonly pods: ControlledObjects<Pod>;
}

async function reconcile(
  { namespace, name }: NamespacedName,
  set: StatefulSet,
  { client, clock, release, gates, revisionsOf, control, pods }: SetParts,
): Promise<ReconcileResult> {
  const selector = readSelector(set.spec?.selector);
  if (selector === undefined) return;
  const objects = client.of(STATEFUL_SET.apiVersion, STATEFUL_SET.kind).namespace(namespace);
  const revisionClient = client.of(REVISION.apiVersion, REVISION.kind).namespace(namespace);
  const owned = { owner: set, ownerKind: STATEFUL_SET, readOwner: () => objects.get(name), selector };
  const sorted = inRevisionOrder(await claim(revisionsOf.candidates(set), { ...owned, objects: revisionClient }));
  const candidates = pods.candidates(set).filter((pod) => isMember(set, pod));
  const members = await claim(candidates, { ...owned, objects: client.of("v1", "Pod").namespace(namespace) });
  const { current, update, collisionCount } = await setRevisions(set, sorted, revisionClient, release);
  const revision = (one: typeof current) => ({ name: nameOf(one), template: templateOf(one) ?? {} });
  const now = clock.now();
  const revisions = { current: revision(current), update: revision(update) };
  const planned = plan({ set, pods: members, ...revisions, gates, now });
  const failure = await takeSteps(set, planned.steps, control);
  const status = statefulSetStatus(set, {
    pods: members,
    current: nameOf(current),
    update: nameOf(update),
    collisionCount,
    outdated: failure === undefined ? planned.outdated : 0,
    release,
    now,
  });
  await writeStatus(objects, set, status);
  if (failure !== undefined) throw failure;
  const live = new Set([nameOf(current), nameOf(update), ...members.map(revisionOf)]);
  await truncateHistory(revisionClient, sorted, { live, limit: set.spec?.revisionHistoryLimit ?? 10 });
  return lookAgain(set, status);
}

/** Answers the first error. */
async function takeSteps(set: StatefulSet, steps: readonly Step[], control: MemberControl): Promise<unknown> {
  if (!isOrdered(set)) {
    const { error } = await slowStart(steps.length, async (index) => {
      await control.take(set, steps[index] as Step);
    });
    return error;
  }
  try {
    for (const step of steps) if (!(await control.take(set, step))) return undefined;
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Pods that are ready become available without a change. */
function lookAgain(set: StatefulSet, { availableReplicas = 0 }: StatefulSetStatus): ReconcileResult {
  const seconds = set.spec?.minReadySeconds ?? 0;
  if (seconds > 0 && availableReplicas !== wantedReplicas(set)) return { requeueAfterMilliseconds: seconds * 1000 };
}

const HASH_LABEL = "controller.kubernetes.io/hash";

export interface SetRevisions {
  /** Which most pods are of, until an update is complete. */
  readonly current: ControllerRevision;
  /** That of the set's template. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** Finds the set's revisions; one of a template that came back becomes the newest again, one of a new template is created. */
async function setRevisions(
  set: StatefulSet,
  sorted: readonly ControllerRevision[],
  revisions: ResourceClient<ControllerRevision>,
  release: Release,
): Promise<SetRevisions> {
  const template = set.spec?.template ?? {};
  const data = revisionData(template);
  let collisionCount = set.status?.collisionCount ?? 0;
  const newest = sorted.at(-1);
  const equal = sorted.findLast((one) => hasData(one, data));
  let update: ControllerRevision | undefined = equal;
  if (newest !== undefined && equal !== newest && !hasData(newest, data)) {
    const { keepsTemplate } = await inOrder(import("./same-template.js"));
    if (keepsTemplate(newest, set, release)) update = newest;
    else if (equal !== undefined) update = await revisions.update({ ...equal, revision: nextRevision(sorted) });
  }
  for (; update === undefined; update === undefined && collisionCount++) {
    const hash = revisionHash(revisionText(data), collisionCount);
    const revision = nextRevision(sorted);
    const wanted = { owner: set, ownerKind: STATEFUL_SET, template, data, revision, hashLabel: HASH_LABEL, hash };
    update = await createRevision(revisions, controllerRevision(wanted));
  }
  const current = sorted.find((one) => nameOf(one) === set.status?.currentRevision);
  return { current: current ?? update, update, collisionCount };
}
