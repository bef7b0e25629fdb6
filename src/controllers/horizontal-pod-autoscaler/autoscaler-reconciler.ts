import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from "../../api/types/autoscaling/v2.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { formatTime } from "../../machinery/meta/time.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { combine, type Combined, MetricError, proposalOf } from "./metric-proposal.js";
import {
  type Conditions,
  isScaledToZero,
  NOT_SCALED_TO_ZERO,
  ofGeneration,
  type Reason,
  SCALED_TO_ZERO,
  withCondition,
} from "./conditions.js";
import type { MetricReader } from "./metric-reader.js";
import type { ScaleHistory } from "./scaling-behavior.js";
import type { TargetScale } from "./scale-target.js";
import { decide, DISABLED, outOfBounds, withChange } from "./scaling-decision.js";
import { tolerancesOf } from "./replica-calculator.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ServerGates } from "../../api/gates/feature-gates.js";
import { unlessChanged } from "../writes.js";

interface Known {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelector;
}

/** The selectors of the scales of all autoscalers: no two may select the same pods. */
class AutoscalerSelectors {
  readonly #known = new Map<string, Known>();

  /** Remembers an autoscaler's selector; returns what is wrong where others select one of `pods`, which it selects. */
  put(known: Known, text: string, pods: readonly Pod[]): string | undefined {
    this.#known.set(`${known.namespace}/${known.name}`, known);
    const others = [...this.#known.values()].filter(
      ({ namespace, selector }) =>
        namespace === known.namespace && pods.some(({ metadata }) => selector.matches(metadata?.labels)),
    );
    if (others.length < 2) return undefined;
    const names = others.map(({ name, namespace }) => `{${name} ${namespace}}`).toSorted();
    return `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`;
  }

  forget(namespace: string, name: string): void {
    this.#known.delete(`${namespace}/${name}`);
  }
}

export interface AutoscalerParts {
  readonly autoscalers: ResourceClient<HorizontalPodAutoscaler>;
  readonly podsOf: (namespace: string, selector: LabelSelector) => readonly Pod[];
  readonly scaleOf: (
    namespace: string,
    target: HorizontalPodAutoscaler["spec"]["scaleTargetRef"],
  ) => Promise<TargetScale>;
  readonly metrics: MetricReader;
  readonly recorder: EventRecorder;
  readonly gates: ServerGates;
  /** In milliseconds. */
  readonly now: () => number;
}

/** The outcome of one look at an autoscaler. */
interface Outcome {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly metrics: readonly MetricStatus[];
  readonly conditions: Conditions;
  readonly rescaled: boolean;
}

/** Scales the targets of autoscalers by their metrics, and keeps the autoscalers' status. */
export class AutoscalerReconciler {
  readonly #history = new Map<string, ScaleHistory>();
  readonly #selectors = new AutoscalerSelectors();
  /** The autoscalers as the server answered the last write of their status. */
  readonly #written = new Map<string, HorizontalPodAutoscaler>();
  readonly #scalesToZero: boolean;
  readonly #showsGeneration: boolean;

  constructor(private readonly parts: AutoscalerParts) {
    this.#scalesToZero = parts.gates.enabled("HPAScaleToZero");
    this.#showsGeneration = parts.gates.enabled("HPAGeneration");
  }

  /** Whether the cache has an autoscaler from before the last write of its status. */
  isBehind(cached: HorizontalPodAutoscaler): boolean {
    const written = this.#written.get(keyOf(cached));
    if (written === undefined || written.metadata?.uid !== cached.metadata?.uid) return false;
    const [last, seen] = [written, cached].map(({ metadata }) => metadata?.resourceVersion ?? "") as [string, string];
    return (compareResourceVersions(last, seen) ?? 0) > 0;
  }

  forget(namespace: string, name: string): void {
    this.#history.delete(`${namespace}/${name}`);
    this.#written.delete(`${namespace}/${name}`);
    this.#selectors.forget(namespace, name);
  }

  /** Looks at the metrics once, and scales. Failures are events and conditions of the autoscaler. */
  async reconcile(autoscaler: HorizontalPodAutoscaler): Promise<void> {
    const { now } = this.parts;
    const { scaleTargetRef } = autoscaler.spec;
    const before: Conditions = autoscaler.status?.conditions ?? [];
    let scale: TargetScale;
    try {
      scale = await this.parts.scaleOf(autoscaler.metadata?.namespace ?? "", scaleTargetRef);
    } catch (error) {
      const { message } = error as Error;
      this.#event(autoscaler, "Warning", "FailedGetScale", message);
      const reason = {
        reason: "FailedGetScale",
        message: `the HPA controller was unable to get the target's current scale: ${message}`,
      };
      const conditions = withCondition(before, "AbleToScale", "False", reason, now());
      return this.#writeStatus(autoscaler, { desiredReplicas: 0, ...autoscaler.status, conditions: [...conditions] });
    }
    const conditions = withCondition(before, "AbleToScale", "True", GOT_SCALE, now());
    const outcome = await this.#scale(autoscaler, scale, conditions);
    const { currentReplicas, desiredReplicas, metrics, rescaled } = outcome;
    const lastScaleTime = rescaled ? formatTime(now()) : autoscaler.status?.lastScaleTime;
    await this.#writeStatus(autoscaler, {
      ...(lastScaleTime !== undefined && ({ lastScaleTime } satisfies FieldsOf<HorizontalPodAutoscalerStatus>)),
      currentReplicas,
      desiredReplicas,
      ...(metrics.length > 0 && ({ currentMetrics: [...metrics] } satisfies FieldsOf<HorizontalPodAutoscalerStatus>)),
      conditions: [...outcome.conditions],
    });
  }

  async #scale(autoscaler: HorizontalPodAutoscaler, scale: TargetScale, known: Conditions): Promise<Outcome> {
    const { now } = this.parts;
    const { minReplicas: min = 1, maxReplicas: max, behavior } = autoscaler.spec;
    const current = scale.specReplicas;
    const unchanged = { currentReplicas: current, desiredReplicas: current, metrics: [], rescaled: false };
    const key = keyOf(autoscaler);
    const history = this.#history.get(key) ?? {
      recommendations: [{ replicas: current, at: now() }],
      ups: [],
      downs: [],
    };
    this.#history.set(key, history);
    if (current === 0 && this.#isDisabled(autoscaler, min)) {
      return { ...unchanged, conditions: withCondition(known, "ScalingActive", "False", DISABLED, now()) };
    }
    const outside = outOfBounds(current, min, max);
    // From zero the metrics say how far it goes.
    if (outside !== undefined && current !== 0)
      return this.#rescale(autoscaler, scale, outside, { metrics: [], conditions: known });
    const { combined, conditions } = await this.#wanted(autoscaler, scale, known);
    const { statuses: metrics, replicas: wanted, metric } = combined;
    if (wanted === undefined) {
      if (combined.error !== undefined) {
        this.#event(autoscaler, "Warning", "FailedComputeMetricsReplicas", combined.error);
      }
      const desiredReplicas = autoscaler.status?.desiredReplicas ?? 0;
      return { ...unchanged, desiredReplicas, metrics, conditions };
    }
    const decided = decide({ current, wanted, metric, min, max, behavior, conditions, history, now: now() });
    this.#history.set(key, decided.history);
    // From zero it goes to its minimum at least, whatever limits a step.
    const decision = current === 0 ? { ...decided, replicas: Math.max(decided.replicas, min) } : decided;
    const shown = { metrics, conditions: decision.conditions };
    if (decision.replicas === current) return { ...unchanged, ...shown };
    return this.#rescale(autoscaler, scale, decision, shown);
  }

  /** Whether a scale of zero is one that a user has set, which stays. */
  #isDisabled({ spec, status }: HorizontalPodAutoscaler, min: number): boolean {
    if (!this.#scalesToZero) return min !== 0;
    return !isScaledToZero(status?.conditions ?? []) || (min === 0 && !hasOutsideMetric(spec));
  }

  /** Asks all metrics. */
  async #wanted(
    autoscaler: HorizontalPodAutoscaler,
    { selector: text, specReplicas, statusReplicas }: TargetScale,
    known: Conditions,
  ): Promise<{ readonly combined: Combined; readonly conditions: Conditions }> {
    const { now, metrics, podsOf } = this.parts;
    const { namespace = "", name = "" } = autoscaler.metadata ?? {};
    const refused = ({ reason, message }: Reason, event: string, detail: string) => {
      this.#event(autoscaler, "Warning", event, detail);
      const conditions = withCondition(known, "ScalingActive", "False", { reason, message }, now());
      return { combined: { replicas: undefined, metric: "", statuses: [], reason: NONE, error: detail }, conditions };
    };
    if (text === "") return refused(NO_SELECTOR, "SelectorRequired", "selector is required");
    const selector = parsed(text);
    if (typeof selector === "string") {
      return refused({ reason: "InvalidSelector", message: selector }, "InvalidSelector", selector);
    }
    const pods = podsOf(namespace, selector);
    const shared = this.#selectors.put({ namespace, name, selector }, text, pods);
    if (shared !== undefined) {
      return refused({ reason: "AmbiguousSelector", message: shared }, "AmbiguousSelector", shared);
    }
    const { metrics: specs, behavior } = autoscaler.spec;
    const tolerances = tolerancesOf(behavior);
    const scaled = { namespace, specReplicas, statusReplicas, selector: text, pods, tolerances, now: now() };
    const outcomes = [];
    for (const spec of specs ?? []) {
      try {
        outcomes.push(await proposalOf(spec, scaled, metrics));
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        this.#event(autoscaler, "Warning", error.reason, error.detail);
        outcomes.push(error);
      }
    }
    const combined = combine(outcomes, specReplicas);
    const status = combined.replicas === undefined ? "False" : "True";
    return { combined, conditions: withCondition(known, "ScalingActive", status, combined.reason, now()) };
  }

  async #rescale(
    autoscaler: HorizontalPodAutoscaler,
    scale: TargetScale,
    { replicas, reason }: { readonly replicas: number; readonly reason: string },
    shown: { readonly metrics: readonly MetricStatus[]; readonly conditions: Conditions },
  ): Promise<Outcome> {
    const { now } = this.parts;
    const { specReplicas: current } = scale;
    const able = (status: "True" | "False", why: Reason): Conditions =>
      withCondition(shown.conditions, "AbleToScale", status, why, now());
    const size = `New size: ${replicas}; reason: ${reason}`;
    try {
      await scale.set(replicas);
    } catch (error) {
      const { message } = error as Error;
      this.#event(autoscaler, "Warning", "FailedRescale", `${size}; error: ${message}`);
      const why = `the HPA controller was unable to update the target scale: ${message}`;
      const conditions = able("False", { reason: "FailedUpdateScale", message: why });
      const desiredReplicas = autoscaler.status?.desiredReplicas ?? 0;
      return { currentReplicas: current, desiredReplicas, metrics: shown.metrics, conditions, rescaled: false };
    }
    this.#event(autoscaler, "Normal", "SuccessfulRescale", size);
    const key = keyOf(autoscaler);
    const history = this.#history.get(key);
    if (history !== undefined) {
      this.#history.set(key, withChange(history, autoscaler.spec.behavior, current, replicas, now()));
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    const rescaled = able("True", { reason: "SucceededRescale", message });
    const conditions = this.#scalesToZero
      ? withScaledToZero(rescaled, autoscaler.spec, current, replicas, now())
      : rescaled;
    return { currentReplicas: current, desiredReplicas: replicas, metrics: shown.metrics, conditions, rescaled: true };
  }

  async #writeStatus(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    const { generation } = autoscaler.metadata ?? {};
    const shown =
      this.#showsGeneration && generation !== undefined ? statusOf(generation, status, autoscaler.status) : status;
    if (deepEqual(comparable(autoscaler.status), comparable(shown))) return;
    const written = await unlessChanged(this.parts.autoscalers.updateStatus({ ...autoscaler, status: shown }));
    if (written !== undefined) this.#written.set(keyOf(autoscaler), written);
  }

  #event(autoscaler: HorizontalPodAutoscaler, type: "Normal" | "Warning", reason: string, message: string): void {
    this.parts.recorder.event(autoscaler, type, reason, message);
  }
}

const GOT_SCALE: Reason = {
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};
const NO_SELECTOR: Reason = {
  reason: "InvalidSelector",
  message: "the HPA target's scale is missing a selector",
};
const NONE: Reason = { reason: "", message: "" };

const hasOutsideMetric = ({ metrics = [] }: HorizontalPodAutoscaler["spec"]): boolean =>
  metrics.some(({ type }) => type === "Object" || type === "External");

/** After a change of scale `from` .. `to`. `now` in milliseconds. */
function withScaledToZero(
  conditions: Conditions,
  spec: HorizontalPodAutoscaler["spec"],
  from: number,
  to: number,
  now: number,
): Conditions {
  const isZero = from > 0 && to === 0 && spec.minReplicas === 0 && hasOutsideMetric(spec);
  return isZero
    ? withCondition(conditions, "ScaledToZero", "True", SCALED_TO_ZERO, now)
    : withCondition(conditions, "ScaledToZero", "False", NOT_SCALED_TO_ZERO, now);
}

/** The status with the generation of the autoscaler that it is of. */
function statusOf(
  observedGeneration: number,
  status: HorizontalPodAutoscalerStatus,
  before: HorizontalPodAutoscalerStatus | undefined,
): HorizontalPodAutoscalerStatus {
  const conditions = [...ofGeneration(status.conditions ?? [], before?.conditions ?? [], observedGeneration)];
  return { ...status, observedGeneration, conditions };
}

const keyOf = ({ metadata }: HorizontalPodAutoscaler): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** The selector, or what is wrong with the text. */
function parsed(text: string): LabelSelector | string {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    return `couldn't convert selector into a corresponding internal selector object: ${(error as Error).message}`;
  }
}

/** Without what the API writes for a field that is not there. */
function comparable(status: HorizontalPodAutoscalerStatus | undefined): JsonObject {
  const { currentReplicas = 0, currentMetrics, ...rest } = status ?? { desiredReplicas: 0 };
  return JSON.parse(JSON.stringify({ ...rest, currentReplicas, currentMetrics: currentMetrics ?? [] })) as JsonObject;
}
