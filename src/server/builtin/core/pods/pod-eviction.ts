import type { Status, Preconditions, DeleteOptions } from "../../../../api/types/meta/v1.js";
import { throwIfCancelled } from "../../../../base/async/cancellation.js";
import { isPodReady } from "../../../../api/disruption/budgets.js";
import { schemaFor } from "../../../../api/facts/index.js";
import { badRequest, isConflict } from "../../../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  number,
  object,
  objects,
  type DraftObject,
  type Received,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import type { Pod, PodCondition, PodStatus } from "../../../../api/types/core/v1.js";
import type { Eviction, PodDisruptionBudget } from "../../../../api/types/policy/v1.js";
import { formatGroupVersion } from "../../../../machinery/meta/gvk.js";
import { isJsonObject } from "../../../../machinery/meta/json.js";
import { decodeBody } from "../../../endpoints/negotiation/decode-body.js";
import { readObjectBody } from "../../../endpoints/negotiation/request-body.js";
import { negotiatePlain } from "../../../endpoints/negotiation/response-format.js";
import { checkedDeleteOptions, type DeleteRequestOptions } from "../../../endpoints/options/delete-options.js";
import { writeOptions } from "../../../endpoints/options/write-options.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import { Admitter } from "../../../endpoints/verbs/admitter.js";
import { respondValue } from "../../../endpoints/verbs/answer.js";
import { scopeOf } from "../../../endpoints/verbs/scope.js";
import { copyObject } from "../../../registry/copy.js";
import {
  type ValidDeleteOptions,
  ADMITTED,
  isGetter,
  isGracefulDeleter,
  isUpdater,
} from "../../../registry/resource.js";
import { clearSystemMetadata, matchNamespace, timestamp } from "../../../registry/metadata.js";
import type { ApiRequest } from "../../../request/api-request.js";
import type { StoredObject } from "../../../storage/store.js";
import { budgetsOf, stillProcessed, takeDisruption } from "../../policy/disruption.js";

const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };
const VERSIONS: readonly string[] = ["policy/v1", "policy/v1beta1"];
const ATTEMPTS = 20;

/**
 * POST /pods/NAME/eviction: deletes the pod unless its disruption budget forbids it. `pods` and `budgets` are the
 * resources at v1 and policy/v1.
 */
export async function handlePodEviction(
  request: ApiRequest,
  pods: ServedResource,
  budgets: ServedResource,
): Promise<void> {
  const query = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const { object: eviction, kind } = await decodeBody(body, {
    expected: EVICTION,
    mode: query.fieldValidation,
    schemaOf: (gvk) => schemaFor(VERSIONS.includes(formatGroupVersion(gvk)) ? { ...gvk, version: "v1" } : gvk),
    accepts: (apiVersion) => VERSIONS.includes(apiVersion),
  });
  request.audit?.decoded(eviction, schemaFor({ ...kind, version: "v1" }));
  clearSystemMetadata(eviction);
  matchNamespace(eviction, request.info.namespace);
  const { name } = request.info;
  const dryRun = query.dryRun;
  const admit = new Admitter(request, pods, dryRun, { kind: EVICTION, schema: schemaFor(EVICTION) }).create;
  await admit.mutate?.(eviction);
  if ((eviction.metadata?.name ?? "") !== name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const { deleteOptions }: FieldsOf<Eviction> = eviction;
  const wanted = checkedDeleteOptions(isJsonObject(deleteOptions) ? deleteOptions : {});
  const options = { ...wanted, dryRun: wanted.dryRun || dryRun } satisfies FieldsOf<DeleteOptions>;
  await admit.validate?.(eviction);
  const refused = await evict(request, { pods, budgets }, name, options);
  const status =
    refused === undefined
      ? ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 } satisfies FieldsOf<Status>)
      : ({
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          message: refused,
          code: 500,
        } satisfies FieldsOf<Status>);
  await respondValue(request, negotiatePlain(request.exchange), 201, status);
}

interface Resources {
  readonly pods: ServedResource;
  readonly budgets: ServedResource;
}

/** Answers why it cannot be done at all; undefined when it was done. */
async function evict(
  request: ApiRequest,
  { pods, budgets }: Resources,
  name: string,
  options: DeleteRequestOptions,
): Promise<string | undefined> {
  const { storage } = pods;
  if (!isGetter(storage)) throw new Error("pods cannot be read");
  const read = async () => (await storage.get(scopeOf(request), name, {})).object();
  const remove = (changed: ValidDeleteOptions) => removePod(request, pods, name, { ...options, ...changed });
  const asSeen = (pod: ReceivedObject<Pod>) => ({
    preconditions: {
      resourceVersion: pod.metadata?.resourceVersion,
      ...options.preconditions,
    } satisfies FieldsOf<Preconditions>,
  });
  let pod = await read();
  throwIfCancelled(request);
  for (let left = ATTEMPTS; withoutBudget(pod); left--) {
    try {
      await remove(isOver(pod) ? {} : asSeen(pod));
      return undefined;
    } catch (error) {
      // It may have become ready in between, and is then a budget's business.
      if (!isConflict(error) || options.preconditions?.resourceVersion !== undefined || left === 0) throw error;
      pod = await read();
    }
  }
  const [budget, ...others] = await budgetsOf(budgets, pod);
  throwIfCancelled(request);
  if (others.length > 0) {
    return "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  }
  if (budget === undefined) {
    await remove({});
    return undefined;
  }
  if (isPodReady(pod) || !lettingUnhealthyGo(budget)) {
    await takeDisruption(budgets, budget, name, options.dryRun);
    await remove({});
    return undefined;
  }
  try {
    await remove(asSeen(pod));
  } catch (error) {
    if (!isConflict(error) || options.preconditions?.resourceVersion !== undefined) throw error;
    throw stillProcessed(budget.metadata?.name ?? "");
  }
  return undefined;
}

/**
 * Marks the pod as disrupted, for controllers that look at it while it goes, and deletes it. Nothing cancels it: a budget may have been
 * charged for it, and a pod that is marked has to go.
 */
async function removePod(
  request: ApiRequest,
  pods: ServedResource,
  name: string,
  options: DeleteRequestOptions,
): Promise<void> {
  const { storage } = pods;
  if (!isGracefulDeleter(storage)) throw new Error("pods cannot be deleted");
  let { preconditions } = options;
  if (!options.dryRun) {
    const marked = await markDisrupted(request, pods, name, preconditions);
    if (preconditions?.resourceVersion !== undefined) {
      preconditions = { ...preconditions, resourceVersion: marked.object().metadata?.resourceVersion };
    }
  }
  const scope = { ...scopeOf(request, options.dryRun), token: undefined };
  await storage.delete(scope, name, { ...options, preconditions }, undefined);
}

async function markDisrupted(
  request: ApiRequest,
  pods: ServedResource,
  name: string,
  preconditions: ValidDeleteOptions["preconditions"],
): Promise<StoredObject> {
  const { storage } = pods;
  if (!isUpdater(storage)) throw new Error("pods cannot be updated");
  const { object: stored } = await storage.update(
    { ...scopeOf(request), token: undefined },
    name,
    (current) => {
      const draft: DraftObject<Pod> = copyObject(current?.object() ?? {});
      draft.status = disrupted(object(draft.status), timestamp(pods.now()));
      return Promise.resolve(draft);
    },
    { trusted: true, preconditions, admit: ADMITTED },
  );
  return stored;
}

function disrupted(status: Received<PodStatus>, now: string): Received<PodStatus> {
  const conditions = objects(status.conditions);
  const found = conditions.find(({ type }) => type === "DisruptionTarget");
  const next: Received<PodCondition> = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: found?.status === "True" ? text(found.lastTransitionTime) : now,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  const changed = found === undefined ? [...conditions, next] : conditions.map((one) => (one === found ? next : one));
  return { ...status, conditions: changed };
}

/** A pod that does not run, or not for long, may go without a look at the budgets. */
function withoutBudget(pod: ReceivedObject<Pod>): boolean {
  return isOver(pod) || object(pod.status).phase === "Pending";
}

function isOver(pod: ReceivedObject<Pod>): boolean {
  const { phase } = object(pod.status);
  return phase === "Succeeded" || phase === "Failed" || pod.metadata?.deletionTimestamp !== undefined;
}

/** Whether pods that are not ready may go without counting as a disruption. */
function lettingUnhealthyGo(budget: ReceivedObject<PodDisruptionBudget>): boolean {
  if (object(budget.spec).unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const status = object(budget.status);
  const desired = number(status.desiredHealthy);
  return desired > 0 && number(status.currentHealthy) >= desired;
}
