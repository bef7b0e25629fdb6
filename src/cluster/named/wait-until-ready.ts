import { pause } from "../../base/pause.js";
import { startStopwatch } from "../../base/stopwatch.js";
import type { Timers } from "../../base/timers.js";
import type { ClusterHealth } from "./cluster-health.js";
import { namedClusterError } from "./named-cluster-error.js";

export interface WaitUntilReadyOptions {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Takes what each look at the cluster showed: "1/2 nodes ready, 3/4 pods ready". */
  readonly onProgress?: ((state: string) => void) | undefined;
  /** Milliseconds. Default: 5 minutes. */
  readonly limit?: number;
}

const LIMIT = 300_000;
const EVERY = 200;

/**
 * Waits until all nodes of a cluster are ready, and all pods that have not completed. Resolves early when `signal` aborts. Throws
 * after the limit, with what is not ready.
 */
export async function waitUntilReady(
  name: string,
  read: () => Promise<ClusterHealth>,
  { timers, signal, onProgress, limit = LIMIT }: WaitUntilReadyOptions,
): Promise<void> {
  const elapsed = startStopwatch();
  while (!signal.aborted) {
    const { nodes, pods } = await read();
    if (nodes.ready === nodes.all && pods.ready === pods.all) return;
    const state = `${nodes.ready}/${nodes.all} nodes ready, ${pods.ready}/${pods.all} pods ready`;
    onProgress?.(state);
    if (elapsed() > limit) {
      throw namedClusterError(
        `cluster "${name}" is not ready after ${limit / 1000} s: ${state}; see what is wrong with: kubets cluster status ${name}`,
      );
    }
    await pause(timers, EVERY, signal);
  }
}
