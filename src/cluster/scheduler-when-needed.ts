import { inOrder } from "../base/async/turns.js";
import type { RunningScheduler, SchedulerParts } from "../scheduler/start-scheduler.js";
import type { SchedulerOptions } from "../scheduler/options.js";
import type { GroupResource } from "../machinery/errors/status-error.js";

const PODS: GroupResource = { group: "", resource: "pods" };

/** A scheduler that may not have been loaded yet. */
export type StartedScheduler = Pick<RunningScheduler, "stop">;

export interface SchedulerNeeds extends SchedulerParts {
  /** Calls `listener` once, when the resource has its first object, unless the returned function is called before. */
  readonly whenOccupied: (resource: GroupResource, listener: () => void) => () => void;
}

/**
 * Starts a scheduler with kube-scheduler's defaults when the first pod appears: a cluster without pods does not load it. A
 * scheduler with options starts at once. Rejects for invalid options.
 */
export async function startSchedulerWhenNeeded(
  options: SchedulerOptions | undefined,
  { whenOccupied, ...parts }: SchedulerNeeds,
): Promise<StartedScheduler> {
  if (options === undefined) return startWithFirstPod(whenOccupied, parts);
  const { startScheduler } = await inOrder(import("../scheduler/start-scheduler.js"));
  return startScheduler(options, parts);
}

function startWithFirstPod(whenOccupied: SchedulerNeeds["whenOccupied"], parts: SchedulerParts): StartedScheduler {
  let starting: Promise<RunningScheduler | undefined> | undefined;
  let isStopped = false;
  const start = async (): Promise<RunningScheduler | undefined> => {
    const { startScheduler } = await inOrder(import("../scheduler/start-scheduler.js"));
    return isStopped ? undefined : startScheduler({}, parts);
  };
  const forget = whenOccupied(PODS, () => {
    starting = start();
    starting.catch(parts.reportError);
  });
  return {
    async stop() {
      isStopped = true;
      forget();
      await (await starting)?.stop();
    },
  };
}
