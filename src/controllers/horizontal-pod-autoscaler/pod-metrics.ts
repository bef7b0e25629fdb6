/** What was measured of one pod. */
export interface PodMetric {
  /** In thousandths of the metric's unit. */
  readonly value: number;
  /** When the measurement ended, in milliseconds since the epoch. */
  readonly at: number;
  /** How long was measured, in milliseconds. */
  readonly window: number;
}

/** By the pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export const withoutPods = (metrics: PodMetrics, ...groups: readonly ReadonlySet<string>[]): PodMetrics =>
  new Map([...metrics].filter(([name]) => !groups.some((group) => group.has(name))));
