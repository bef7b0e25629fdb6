import { releaseOf } from "../../src/api/facts/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { startCluster } from "../../src/cluster/index.js";
import type { StartController } from "../../src/controllers/context.js";
import { MetricTable } from "../../src/machinery/metrics/metric-table.js";
import { controllersOf } from "./controllers-of.js";
import { ManualTime } from "./manual-time.js";
import { settle } from "./settle.js";

export interface ManualControllers {
  readonly api: Transport;
  readonly time: ManualTime;
  /** Lets time pass, a step at a time; before and after each step what is due gets done. Milliseconds. */
  pass(milliseconds: number, step?: number): Promise<void>;
  /** What controllers reported. */
  readonly problems: readonly unknown[];
  /** The metric's values of a counter, or how many a histogram has, by the values of its labels, separated by blanks. */
  counted(name: string): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** What pods and deletions need. */
const OTHERS = ["serviceaccount-controller", "garbage-collector-controller"];

/** Runs these controllers, and few others, against a server of their own; all have one manual time. */
export const manualControllers = (...controllers: readonly StartController[]): Promise<ManualControllers> =>
  manualControllersOf(undefined, ...controllers);

/** {@link manualControllers}, and a server, of a version of Kubernetes: "1.37". */
export async function manualControllersOf(
  version: string | undefined,
  ...controllers: readonly StartController[]
): Promise<ManualControllers> {
  const time = new ManualTime();
  const cluster = await startCluster({
    port: false,
    controllers: OTHERS,
    scheduler: false,
    clock: time,
    ...(version !== undefined && { kubernetesVersion: version }),
  });
  const running = await runControllers(cluster.transport(), time, controllers, version);
  return {
    ...running,
    async close() {
      await running.close();
      await cluster.close();
    },
  };
}

/** Runs controllers against a server until they are closed. */
export async function runControllers(
  api: Transport,
  time: ManualTime,
  controllers: readonly StartController[],
  version?: string,
): Promise<ManualControllers> {
  const release = await releaseOf(version);
  const running = controllersOf(api, controllers, { clock: time, timers: time, stopwatch: time.stopwatch, release });
  await settle();
  return {
    api,
    time,
    problems: running.problems,
    async counted(name) {
      const table = new MetricTable();
      running.counts.showIn(table);
      const family = (await table.read()).find(({ definition }) => definition.name === name);
      if (family === undefined) return {};
      const isHistogram = family.definition.type === "histogram";
      const values = Array.from({ length: family.size }, (_, series) => {
        const [first = 0, ...others] = family.numbersOf(series);
        const all = others.slice(0, -1).reduce((sum, count) => sum + count, first);
        return [family.labelsOf(series).join(" "), isHistogram ? all : first] as const;
      });
      return Object.fromEntries(values);
    },
    async pass(milliseconds, step = milliseconds) {
      await settle();
      for (let left = milliseconds; left > 0; left -= step) {
        time.pass(Math.min(step, left));
        await settle();
      }
    },
    async close() {
      let closed = false;
      const closing = running.close().finally(() => (closed = true));
      await settle();
      for (; !closed; await settle()) {
        // Events that the server refuses are tried again for a while.
        time.pass(60_000);
      }
      await closing;
    },
  };
}
