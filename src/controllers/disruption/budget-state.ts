import type { Condition, IntOrString, LabelSelector } from "../../api/types/meta/v1.js";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../api/types/policy/v1.js";
import { allowedCondition, hasCondition, isPodReady, withAllowedCondition } from "../../api/disruption/budgets.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { own } from "../../base/collections/own.js";
import type { EventRecorder } from "../../client/events/index.js";
import {
  type FieldsOf,
  absent,
  list,
  number,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ExpectedPods } from "./expected-pods.js";

/** How long a pod whose eviction was approved may take to be deleted before it counts again. */
const DELETION_TIMEOUT_MS = 120_000;

/** Computes the status of budgets, and reports why a budget does not work. Source: kube-controller-manager's trySync. */
export class BudgetState {
  constructor(
    private readonly expected: ExpectedPods,
    private readonly clock: Clock,
    private readonly recorder: EventRecorder,
  ) {}

  /** A budget's new status; none when it has it already. */
  async of(
    budget: ReceivedObject<PodDisruptionBudget>,
    pods: readonly Pod[],
  ): Promise<{ status?: Received<PodDisruptionBudgetStatus>; recheckAfter?: number | undefined }> {
    const old = object(budget.status);
    const now = this.clock.now();
    const { recorder } = this;
    if (pods.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found");
    let counts: Counts;
    try {
      counts = await this.#counts(object(budget.spec), pods);
    } catch (error) {
      const { message } = error as Error;
      const event = `Failed to calculate the number of expected pods: ${message}`;
      recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", event);
      const failed = { status: "False" as const, reason: "SyncFailed", message } satisfies FieldsOf<Condition>;
      const status = { ...old, disruptionsAllowed: 0 } satisfies FieldsOf<PodDisruptionBudgetStatus>;
      return { status: { ...status, conditions: withAllowedCondition(old, failed, rfc3339(now)) } };
    }
    const { hasUnmanaged = false, ...expected } = counts;
    if (hasUnmanaged) recorder.event(budget, "Warning", "UnmanagedPods", unmanagedText(budget));
    const { disruptedPods, recheckAfter, overdue } = stillDisrupted(pods, object(old.disruptedPods), now);
    for (const pod of overdue) {
      const { namespace = "" } = budget.metadata ?? {};
      // Kubernetes has the namespace here twice.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      recorder.event(pod, "Warning", "NotDeleted", message);
    }
    const healthy = pods.filter((pod) => {
      const { deletionTimestamp, name = "" } = pod.metadata ?? {};
      return deletionTimestamp === undefined && own(disruptedPods, name) === undefined && isPodReady(pod);
    });
    const currentHealthy = healthy.length;
    const spare = currentHealthy - expected.desiredHealthy;
    const numbers = {
      currentHealthy,
      ...expected,
      disruptionsAllowed: expected.expectedPods <= 0 || spare <= 0 ? 0 : spare,
      observedGeneration: budget.metadata?.generation ?? 0,
    };
    const wanted = allowedCondition(numbers);
    const same =
      COUNTS.every((field) => number(old[field]) === numbers[field]) &&
      deepEqual(timesOf(old), disruptedPods) &&
      hasCondition(old, wanted);
    if (same) return { recheckAfter };
    const conditions = withAllowedCondition({ ...old, ...numbers }, wanted, rfc3339(now));
    const status = {
      ...numbers,
      ...(Object.keys(disruptedPods).length > 0 && ({ disruptedPods } satisfies FieldsOf<PodDisruptionBudgetStatus>)),
      conditions,
    } satisfies FieldsOf<PodDisruptionBudgetStatus>;
    return { status, recheckAfter };
  }

  async #counts(
    { minAvailable, maxUnavailable }: Received<PodDisruptionBudgetSpec>,
    pods: readonly Pod[],
  ): Promise<Counts> {
    if (absent(maxUnavailable) && typeof minAvailable === "number") {
      return { expectedPods: pods.length, desiredHealthy: minAvailable };
    }
    if (absent(maxUnavailable) && absent(minAvailable)) return { expectedPods: 0, desiredHealthy: 0 };
    const { count, hasUnmanaged } = await this.expected.of(pods);
    const desiredHealthy = absent(maxUnavailable)
      ? scaled(minAvailable, count)
      : Math.max(0, count - scaled(maxUnavailable, count));
    return { expectedPods: count, desiredHealthy, hasUnmanaged };
  }
}

const COUNTS = [
  "currentHealthy",
  "desiredHealthy",
  "expectedPods",
  "disruptionsAllowed",
  "observedGeneration",
] as const;

interface Counts {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** Whether a pod has no controller, which the expected number then lacks. */
  readonly hasUnmanaged?: boolean;
}

function unmanagedText(budget: ReceivedObject<PodDisruptionBudget>): string {
  const selector = labelSelectorText(object(budget.spec).selector);
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}

/** A label selector as Go prints one. */
function labelSelectorText(selector: OrAbsent<Received<LabelSelector>>): string {
  if (absent(selector)) return "nil";
  const { matchLabels, matchExpressions } = object(selector);
  const labels = Object.entries(object(matchLabels)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const expressions = objects(matchExpressions).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${text(key)},Operator:${text(operator)},Values:[${list(values).map(text).join(" ")}],},`,
  );
  const pairs = labels.map(([key, value]) => `${key}: ${text(value)},`).join("");
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

/** A number as it is, a percentage of `total` rounded up. */
function scaled(value: OrAbsent<IntOrString>, total: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(text(value), 10) * total) / 100);
}

/** Pods whose eviction was approved and that are not being deleted yet, those that took too long, and when to look at them again. */
function stillDisrupted(pods: readonly Pod[], before: Received<Record<string, string>>, now: number) {
  const disruptedPods: Record<string, string> = {};
  const overdue: Pod[] = [];
  let recheckAfter: number | undefined;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const since = text(before[name]);
    if (since === "" || deletionTimestamp !== undefined) continue;
    const left = Date.parse(since) + DELETION_TIMEOUT_MS - now;
    if (left < 0) {
      overdue.push(pod);
      continue;
    }
    disruptedPods[name] = since;
    recheckAfter = Math.min(recheckAfter ?? left, left);
  }
  return { disruptedPods, recheckAfter, overdue };
}

const timesOf = ({ disruptedPods }: Received<PodDisruptionBudgetStatus>): Record<string, string> =>
  Object.fromEntries(Object.entries(object(disruptedPods)).map(([name, since]) => [name, text(since)]));

const rfc3339 = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
