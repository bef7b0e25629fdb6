import { allowedCondition, hasCondition, isPodReady, withAllowedCondition } from "../../api/disruption/index.js";
import type { Clock } from "../../base/clock.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { number, object, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import type { LabelSelectorObject } from "../../machinery/validation/labels.js";
import type { Api } from "../api.js";
import { listAll } from "../list-all.js";
import { type Outcome, WorkQueue } from "../work-queue.js";
import { ExpectedPods } from "./expected-pods.js";

export interface DisruptionConfig {
  readonly api: Api;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

export const BUDGETS = "/apis/policy/v1/poddisruptionbudgets";

/** How long a pod whose eviction was approved may take to be deleted before it counts again. */
const DELETION_TIMEOUT_MS = 120_000;

/** Keeps the numbers of disruption budgets: how many pods there are, are ready, must be ready and may be evicted. */
export class DisruptionController {
  /** Selectors of all budgets: namespace -> name -> selector. */
  readonly #selectors = new Map<string, Map<string, LabelSelector>>();
  readonly #queue: WorkQueue<string>;
  readonly #expected: ExpectedPods;

  constructor(private readonly config: DisruptionConfig) {
    const { signal, report } = config;
    this.#expected = new ExpectedPods(config.api);
    this.#queue = new WorkQueue<string>({ work: (key) => this.#sync(key), workers: 1, signal, report });
    this.#queue.start();
  }

  budgetChanged(budget: KubeObject): void {
    const { namespace = "", name = "" } = budget.metadata ?? {};
    const named = this.#selectors.get(namespace) ?? new Map<string, LabelSelector>();
    this.#selectors.set(namespace, named);
    named.set(name, selectorOf(budget));
    this.#queue.add(`${namespace}/${name}`);
  }

  budgetDeleted({ metadata }: KubeObject): void {
    const { namespace = "", name = "" } = metadata ?? {};
    const named = this.#selectors.get(namespace);
    named?.delete(name);
    if (named?.size === 0) this.#selectors.delete(namespace);
    this.#queue.forget(`${namespace}/${name}`);
  }

  /** To be called for every change of a pod, its end included. */
  podChanged({ metadata }: KubeObject): void {
    const namespace = metadata?.namespace ?? "";
    for (const [name, selector] of this.#selectors.get(namespace) ?? []) {
      if (selector.matches(metadata?.labels)) this.#queue.add(`${namespace}/${name}`);
    }
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  async #sync(key: string): Promise<Outcome> {
    const [namespace = "", name = ""] = key.split("/");
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${name}`;
    try {
      const budget = await this.config.api.get(path);
      const { status, recheckAfter } = await this.#statusOf(budget);
      if (status !== undefined) await this.config.api.update(`${path}/status`, { ...budget, status });
      return recheckAfter === undefined ? "done" : { afterMilliseconds: recheckAfter };
    } catch (error) {
      if (isNotFound(error)) return "done";
      if (isConflict(error)) return "again";
      throw error;
    }
  }

  /** A budget's new status; none when it has it already. */
  async #statusOf(budget: KubeObject): Promise<{ status?: JsonObject; recheckAfter?: number | undefined }> {
    const old = object(budget["status"]) as JsonObject;
    const now = this.config.clock.now();
    const pods = await this.#podsOf(budget);
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
      return deletionTimestamp === undefined && disruptedPods[name] === undefined && isPodReady(pod);
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

  async #podsOf(budget: KubeObject): Promise<readonly KubeObject[]> {
    const selector = selectorOf(budget);
    const { namespace = "" } = budget.metadata ?? {};
    const pods: KubeObject[] = [];
    for await (const pod of listAll(this.config.api, `/api/v1/namespaces/${namespace}/pods`)) {
      if (selector.matches(pod.metadata?.labels)) pods.push(pod);
    }
    return pods;
  }

  async #counts(
    { minAvailable, maxUnavailable }: Readonly<Record<string, unknown>>,
    pods: readonly KubeObject[],
  ): Promise<{ expectedPods: number; desiredHealthy: number }> {
    if (maxUnavailable !== undefined) {
      const expectedPods = await this.#expected.of(pods);
      return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods)) };
    }
    if (typeof minAvailable === "number") return { expectedPods: pods.length, desiredHealthy: minAvailable };
    if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
    const expectedPods = await this.#expected.of(pods);
    return { expectedPods, desiredHealthy: scaled(minAvailable, expectedPods) };
  }
}

/** A number as it is, a percentage of `total` rounded up. */
function scaled(value: unknown, total: number): number {
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(text(value), 10) * total) / 100);
}

/** Pods whose eviction was approved and that are not being deleted yet, and when to look at them again. */
function stillDisrupted(pods: readonly KubeObject[], before: Readonly<Record<string, unknown>>, now: number) {
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

/** One that cannot be read matches nothing. */
function selectorOf(budget: KubeObject): LabelSelector {
  const selector = object(budget["spec"])["selector"] as LabelSelectorObject | undefined;
  try {
    return selectorFromObject(selector);
  } catch {
    return selectorFromObject(undefined);
  }
}

const rfc3339 = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
