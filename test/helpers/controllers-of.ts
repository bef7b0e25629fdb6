import { type Release, releaseOf } from "../../src/api/facts/index.js";
import { serverGates } from "../../src/api/gates/feature-gates.js";
import { type Clock, systemClock } from "../../src/base/time/clock.js";
import { type Random, systemRandom } from "../../src/base/numbers/random.js";
import { type StartStopwatch, stopwatchOf, type Timers, workTimers } from "../../src/base/time/timers.js";
import { kubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../../src/client/events/index.js";
import { Manager } from "../../src/client/manager/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import type { ControllerContext, StartController } from "../../src/controllers/context.js";
import { ServedResources } from "../../src/controllers/served-resources.js";
import { WorkCounts } from "../../src/controllers/work-counts.js";

/** What a server is by default. */
const defaultRelease = await releaseOf();

export interface ControllersOfServer {
  /** What controllers reported. */
  readonly problems: readonly unknown[];
  readonly counts: WorkCounts;
  close(): Promise<void>;
}

export interface ControllerSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly stopwatch?: StartStopwatch;
  readonly random?: Random;
  /** The version that the controllers are of. Default: that of a server. */
  readonly release?: Release;
}

/** Runs these controllers against a server, as one process, until they are closed. Default: by real time. */
export function controllersOf(
  api: Transport,
  controllers: readonly StartController[],
  given: ControllerSurroundings = { clock: systemClock, timers: workTimers },
): ControllersOfServer {
  const { clock, timers, stopwatch = stopwatchOf(timers), random = systemRandom } = given;
  const { release = defaultRelease } = given;
  const surroundings = { clock, timers, stopwatch, random };
  const stopping = new AbortController();
  const problems: unknown[] = [];
  const counts = new WorkCounts();
  const client = kubernetesClient({ transport: () => api }, surroundings);
  const events = eventBroadcaster({ client, ...surroundings, onError: (error) => problems.push(error) });
  const manager = new Manager(client, { ...surroundings, onProblem: (problem) => problems.push(problem) });
  const context = {
    client,
    manager,
    clock,
    timers,
    signal: stopping.signal,
    recorder: (source: Parameters<ControllerContext["recorder"]>[0]) => events.recorder(source),
    counts,
    countClaim: () => {},
    served: new ServedResources(client.rest, clock),
    random,
    release,
    gates: serverGates(release.version),
    cluster: {},
    report: (error: unknown) => problems.push(error),
  } as unknown as ControllerContext;
  const work = controllers.map((start) => start(context) ?? {});
  const running = Promise.all([manager.run(stopping.signal), ...work.map(({ run }) => run?.())]);
  return {
    problems,
    counts,
    async close() {
      stopping.abort();
      await running;
      await events.close();
      await client.close();
    },
  };
}
