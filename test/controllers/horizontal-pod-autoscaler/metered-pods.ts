import type { Pod } from "../../../src/api/types/core/v1.js";
import type { PodMetrics } from "../../../src/controllers/horizontal-pod-autoscaler/pod-metrics.js";
import { formatTime } from "../../../src/machinery/meta/time.js";

export const NOW = Date.UTC(2026, 0, 1, 12);

/** A pod and what was measured of it. */
export interface MeteredPod {
  /** Thousandths that it uses; left out: it is not measured. */
  readonly uses?: number;
  /** Thousandths that its container requests. Default 1000. */
  readonly requests?: number | "none";
  readonly phase?: "Pending" | "Running" | "Failed";
  readonly deleted?: boolean;
  /** Seconds since it started. Default 1000. */
  readonly age?: number;
  readonly ready?: "True" | "False" | "unknown";
  /** Seconds after its start at which it became ready or unready. Default 5. */
  readonly changed?: number;
  /** Seconds before now at which the measurement ended. Default 0. */
  readonly measured?: number;
}

export function podOf(metered: MeteredPod, index: number): Pod {
  const { phase = "Running", deleted = false, age = 1000, ready = "True", changed = 5, requests = 1000 } = metered;
  const started = NOW - age * 1000;
  const lastTransitionTime = formatTime(started + changed * 1000);
  const resources = requests === "none" ? {} : { requests: { cpu: `${requests}m` } };
  return {
    metadata: { name: `pod-${index}`, ...(deleted && { deletionTimestamp: formatTime(NOW) }) },
    spec: { containers: [{ name: "app", image: "i", resources }] },
    status: {
      phase,
      startTime: formatTime(started),
      ...(ready !== "unknown" && { conditions: [{ type: "Ready", status: ready, lastTransitionTime }] }),
    },
  };
}

export const metricsOf = (pods: readonly MeteredPod[]): PodMetrics =>
  new Map(
    pods.flatMap(({ uses, measured = 0 }, index) =>
      uses === undefined ? [] : [[`pod-${index}`, { value: uses, at: NOW - measured * 1000, window: 30_000 }] as const],
    ),
  );

/** The same pod so many times. */
export const times = (count: number, pod: MeteredPod): readonly MeteredPod[] =>
  Array.from({ length: count }, () => pod);

/** Rows for `test.each`, whose last fields may be left out. */
export const titled = <R extends readonly unknown[]>(
  rows: readonly (readonly [title: string, ...row: R])[],
): readonly (readonly [title: string, row: R])[] =>
  rows.map(([title, ...row]) => [title, row as unknown as R] as const);
