import { own } from "../../base/own.js";
import { allowedCondition, hasCondition, isPodReady, withAllowedCondition } from "../../api/disruption/index.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/clock.js";
import type { NamespacedName } from "../../client/informers/index.js";
import { number, object, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, noLabel } from "../../machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../machinery/validation/labels.js";
import type { ControllerContext } from "../context.js";
import { ExpectedPods } from "./expected-pods.js";
import { unlessChanged } from "../unless-changed.js";

const GROUP_VERSION: string = "policy/v1";

/** How long a pod whose eviction was approved may take to be deleted before it counts again. */
const DELETION_TIMEOUT_MS = 120_000;

/** Keeps the numbers of disruption budgets: how many pods there are, are ready, must be ready and may be evicted. */
export function disruptionController({ client, manager, served, clock }: ControllerContext): void {
  const budgets = client.of<KubeObject>(GROUP_VERSION, "PodDisruptionBudget");
  const known = manager.informers.of<string, string>(GROUP_VERSION, "PodDisruptionBudget").lister;
  const pods = manager.informers.of("v1", "Pod").lister;
  const selectors = new Selectors();
  const state = new BudgetState(new ExpectedPods(client, served), clock);
  const budgetsOf = function* ({ metadata }: ApiObject): Generator<NamespacedName> {
    const { namespace = "", labels } = metadata ?? {};
    for (const budget of known.namespace(namespace).list()) {
      if (selectors.of(budget).matches(labels)) yield { namespace, name: budget.metadata?.name ?? "" };
    }
  };
  manager
    .controllerFor<string, string>(GROUP_VERSION, "PodDisruptionBudget")
    .named("disruption-controller")
    .watches("v1", "Pod", budgetsOf)
    .reconcile(async ({ namespace, object: budget }) => {
      if (budget === undefined) return;
      const selector = selectors.of(budget);
      const selected = pods
        .namespace(namespace)
        .list()
        .filter(({ metadata }) => selector.matches(metadata?.labels));
      const { status, recheckAfter } = await state.of(budget, selected);
      if (status !== undefined) await unlessChanged(budgets.updateStatus({ ...budget, status }));
      return recheckAfter === undefined ? undefined : { requeueAfterMilliseconds: recheckAfter };
    });
}

/** The selectors of budgets, each parsed once for a state of its budget. */
class Selectors {
  readonly #parsed = new WeakMap<KubeObject, LabelSelector>();

  of(budget: KubeObject): LabelSelector {
    let selector = this.#parsed.get(budget);
    if (selector === undefined) {
      const own = object(budget["spec"])["selector"] as LabelSelectorObject | undefined;
      // One that cannot be read matches nothing.
      selector = readSelector(own) ?? noLabel;
      this.#parsed.set(budget, selector);
    }
    return selector;
  }
}

/** Computes the status of budgets. */
class BudgetState {
  constructor(
    private readonly expected: ExpectedPods,
    private readonly clock: Clock,
  ) {}

  /** A budget's new status; none when it has it already. */
  async of(
    budget: KubeObject,
    pods: readonly Pod[],
  ): Promise<{ status?: JsonObject; recheckAfter?: number | undefined }> {
    const old = object(budget["status"]) as JsonObject;
    const now = this.clock.now();
    let counts: { expectedPods: number; desiredHealthy: number };
    try {
      counts = await this.#counts(object(budget["spec"]), pods);
    } catch (error) {
      const failed = { status: "False", reason: "SyncFailed", message: (error as Error).message };
      const status = { ...old, disruptionsAllowed: 0 };
      return { status: { ...status, conditions: withAllowedCondition(old, failed, rfc3339(now)) } };
    }
    const { disruptedPods, recheckAfter } = stillDisrupted(pods, object(old["disruptedPods"]), now);
    const healthy = pods.filter((pod) => {
      const { deletionTimestamp, name = "" } = pod.metadata ?? {};
      return deletionTimestamp === undefined && own(disruptedPods, name) === undefined && isPodReady(pod);
    });
    const currentHealthy = healthy.length;
    const spare = currentHealthy - counts.desiredHealthy;
    const numbers = {
      currentHealthy,
      ...counts,
      disruptionsAllowed: counts.expectedPods <= 0 || spare <= 0 ? 0 : spare,
      observedGeneration: budget.metadata?.generation ?? 0,
    };
    const wanted = allowedCondition(numbers);
    const same =
      Object.entries(numbers).every(([field, value]) => number(old[field]) === value) &&
      deepEqual((old["disruptedPods"] ?? {}) as JsonObject, disruptedPods) &&
      hasCondition(old, wanted);
    if (same) return { recheckAfter };
    const conditions = withAllowedCondition({ ...old, ...numbers }, wanted, rfc3339(now));
    const status = { ...numbers, ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }), conditions };
    return { status, recheckAfter };
  }

  async #counts(
    { minAvailable, maxUnavailable }: Readonly<Record<string, unknown>>,
    pods: readonly Pod[],
  ): Promise<{ expectedPods: number; desiredHealthy: number }> {
    if (maxUnavailable !== undefined) {
      const expectedPods = await this.expected.of(pods);
      return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods)) };
    }
    if (typeof minAvailable === "number") return { expectedPods: pods.length, desiredHealthy: minAvailable };
    if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
    const expectedPods = await this.expected.of(pods);
    return { expectedPods, desiredHealthy: scaled(minAvailable, expectedPods) };
  }
}

/** A number as it is, a percentage of `total` rounded up. */
function scaled(value: unknown, total: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(text(value), 10) * total) / 100);
}

/** Pods whose eviction was approved and that are not being deleted yet, and when to look at them again. */
function stillDisrupted(pods: readonly Pod[], before: Readonly<Record<string, unknown>>, now: number) {
  const disruptedPods: Record<string, string> = {};
  let recheckAfter: number | undefined;
  for (const { metadata } of pods) {
    const { name = "", deletionTimestamp } = metadata ?? {};
    const since = text(before[name]);
    if (since === "" || deletionTimestamp !== undefined) continue;
    const left = Date.parse(since) + DELETION_TIMEOUT_MS - now;
    if (left < 0) continue;
    disruptedPods[name] = since;
    recheckAfter = Math.min(recheckAfter ?? left, left);
  }
  return { disruptedPods, recheckAfter };
}

const rfc3339 = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
