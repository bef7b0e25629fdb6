import type { KubeObject } from "../../machinery/meta/object.js";

/** What something uses now. */
export interface Usage {
  /** Processor time per second, in nanoseconds. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

export interface PodUsage {
  /** Its metadata is shown with what it uses. */
  readonly pod: KubeObject;
  readonly containers: readonly (Usage & { readonly name: string })[];
}

/** Where the metrics API finds what pods use. */
export interface UsageSource {
  /** The pods that run and that `wanted` selects. Those of which nothing is known are left out. */
  pods(wanted: (pod: KubeObject) => boolean): Promise<readonly PodUsage[]>;
  /** What the running pods of each of these nodes use. Nodes that are not known, or do not answer, are left out. */
  nodes(names: readonly string[]): Promise<ReadonlyMap<string, readonly PodUsage[]>>;
}
