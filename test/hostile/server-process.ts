import { getHeapCodeStatistics } from "node:v8";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { measurePace } from "../../tools/calibrated-work.mjs";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { type Turns, TurnProbe } from "./turn-probe.js";

/** What the runner needs to reach the cluster. */
export type Reach = Pick<Cluster, "url" | "token" | "caCertificate">;

/** What this process says of itself when it is asked. The longest turn is in calibrated milliseconds (tools/calibrated-work.mjs). */
export interface Reading extends Turns {
  /** Bytes of the heap once garbage is collected, without compiled code; only where that was asked for. */
  readonly heap: number | undefined;
  /** What was thrown without being an answer, each with its stack. */
  readonly faults: readonly string[];
}

export type Question = "turns" | "heap" | "stop";

const faults: string[] = [];
const told = (error: unknown): void => {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
};
process.on("uncaughtException", told).on("unhandledRejection", told);

const cluster = await startCluster({ ...quietCluster, onError: told });
const probe = new TurnProbe();

process.on("message", (question: Question) => {
  if (question === "stop") {
    void cluster.close().then(() => process.exit(0));
    return;
  }
  const { longest, latest } = probe.read();
  const turns = { longest: longest / Math.max(1, measurePace()), latest };
  const heap = question === "heap" ? collectedHeap() : undefined;
  process.send?.({ ...turns, heap, faults: faults.splice(0) } satisfies Reading);
  probe.skip();
});
process.on("disconnect", () => process.exit(1));
process.send?.({ url: cluster.url, token: cluster.token, caCertificate: cluster.caCertificate } satisfies Reach);

function collectedHeap(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("started without --expose-gc");
  gc();
  gc();
  // V8 compiles what runs often, for as long as it likes: after 10,000 requests 4 MB more than after 1,500.
  return process.memoryUsage().heapUsed - getHeapCodeStatistics().code_and_metadata_size;
}
