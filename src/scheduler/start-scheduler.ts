import { setMaxListeners } from "node:events";
import type { Clock } from "../base/time/clock.js";
import { forkRandom, type Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { EventBudget } from "../client/events/event-budget.js";
import { eventBroadcaster } from "../client/events/index.js";
import { InformerFactory } from "../client/informers/informer-factory.js";
import { isUsualFault } from "../client/reflector/list-watch.js";
import type { Transport } from "../client/transport/transport.js";
import type { ApiObject } from "../machinery/meta/object.js";
import type { SchedulerHandle } from "./framework/plugin.js";
import { Scheduler } from "./scheduler.js";
import type { SchedulerMeasuring } from "./scheduler-metrics.js";
import { DEFAULT_SCHEDULER, type SchedulerOptions } from "./options.js";

export interface SchedulerParts {
  /** To the API, as a user who may do what kube-scheduler may. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Draws lots among nodes of equal score. */
  readonly random: Random;
  readonly reportError: (error: unknown) => void;
  /** Whether the server has a kind: ("policy/v1", "PodDisruptionBudget"). Default: it has all that the plugins follow. */
  readonly serves?: (apiVersion: string, kind: string) => boolean;
  /** Where attempts are counted. Default: nowhere. */
  readonly measuring?: SchedulerMeasuring;
  /** The version of Kubernetes that it is of. Default: the oldest that there is. */
  readonly release?: SchedulerHandle["release"];
}

export interface RunningScheduler {
  /** Resolves when it knows the nodes and pods there were at the start. */
  readonly ready: Promise<void>;
  /** How many pods wait, by where: tried next, in backoff, rejected, kept back by a gate. */
  sizes(): {
    readonly active: number;
    readonly backoff: number;
    readonly unschedulable: number;
    readonly gated: number;
  };
  /** Resolves when nothing of it runs any more. Pods that are being bound are bound or given up. */
  stop(): Promise<void>;
}

/** More events wait than pods are scheduled in a burst. */
const EVENT_QUEUE = 100_000;

/**
 * Starts a scheduler, and returns before it has read anything. Throws for options that cannot be right. It follows pods and nodes from the
 * start, and other kinds from the first pod on that needs them.
 */
export function startScheduler(options: SchedulerOptions, parts: SchedulerParts): RunningScheduler {
  const { transport, clock, timers, random, reportError } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every informer and every request listens.
  setMaxListeners(0, signal);
  const report = (error: unknown): void => {
    if (!signal.aborted) reportError(error);
  };
  // Names of events and lengths of watches must not change which lots are drawn.
  const surroundings = { clock, timers, random: forkRandom(random, "client") };
  const client = kubernetesClient(
    { transport: () => transport },
    { ...surroundings, headers: { "user-agent": "kube-scheduler" } },
  );
  // Thousands of pods at once have more events than are worth to be kept: those that find no room are no fault.
  const events = eventBroadcaster({
    client,
    ...surroundings,
    onError: report,
    onDropped: () => {},
    queueSize: EVENT_QUEUE,
  });
  const informers = new InformerFactory(client, {
    ...surroundings,
    transform: withoutManagedFields,
    onFault: ({ error }) => (isUsualFault(error) ? undefined : report(error)),
    onError: report,
  });
  const recorder = new EventBudget(clock).limit(events.recorder({ component: DEFAULT_SCHEDULER }));
  const { serves, measuring, release } = parts;
  const own = { client, clock, timers, random, recorder, informers, serves, signal, report, measuring, release };
  const scheduler = new Scheduler(options, own);
  if (measuring !== undefined) measuring.sizes = () => scheduler.sizes;
  const pods = informers.of("v1", "Pod", { fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" });
  const followed = [pods.addHandler(scheduler.pods), informers.of("v1", "Node").addHandler(scheduler.nodes)];
  informers.start(signal);
  const ready = Promise.all(followed.map(({ synced }) => synced)).then(() => scheduler.begin());
  return {
    ready,
    sizes: () => scheduler.sizes,
    async stop() {
      stopping.abort();
      await scheduler.stop();
      await informers.stopped();
      await events.close();
      await client.close();
    },
  };
}

/** A pod's managed fields take as much memory as the rest of it, and are of no use here. */
function withoutManagedFields<T extends ApiObject>(object: T): T {
  delete object.metadata?.managedFields;
  return object;
}
