import { setMaxListeners } from "node:events";
import type { Clock } from "../base/time/clock.js";
import { deferred } from "../base/async/deferred.js";
import { errorMessage } from "../base/text/error-message.js";
import { pause } from "../base/time/pause.js";
import type { Timers } from "../base/time/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../client/events/index.js";
import { InformerFactory } from "../client/informers/index.js";
import { isLeadershipLost, LeaderElector } from "../client/leaderelection/index.js";
import type { Transport } from "../client/transport/transport.js";
import type { Fence } from "../server/generic/transport/in-process.js";

/** The programs of Kubernetes of which one works at a time, however many servers share a storage. */
export type ElectedProgram = "kube-controller-manager" | "kube-scheduler";

/** How long terms last, in milliseconds, as kube-controller-manager's flags --leader-elect-... say it. */
export interface LeaderElectionOptions {
  /** How long other servers wait, without seeing a renewal, before they take over. Default 15,000. */
  readonly leaseDuration?: number;
  /** How long a server leads without a renewal. Less than `leaseDuration`. Default 10,000. */
  readonly renewDeadline?: number;
  /** The pause between two renewals, and between two attempts to lead. Default 2,000. */
  readonly retryPeriod?: number;
}

/** What happens in the election of a program. */
export type LeadershipEvent =
  /** Another server holds the Lease, until this moment (milliseconds since the epoch) or, where it renews, for longer. */
  | { readonly type: "waiting"; readonly lease: string; readonly holder: string; readonly until: number }
  /** This server leads. */
  | { readonly type: "began"; readonly lease: string; readonly identity: string }
  /** This server leads no more, and sends nothing more in this term. `reason` is absent where the server was stopped. */
  | { readonly type: "ended"; readonly lease: string; readonly identity: string; readonly reason?: string }
  /** The program, in a term of this server, sends a request. */
  | { readonly type: "request"; readonly lease: string; readonly method: string; readonly path: string };

/** What a leader runs. */
export interface LedWork {
  /** Resolves when the work has done what a new cluster waits for. */
  readonly settled?: Promise<void>;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface ElectionParts {
  readonly program: ElectedProgram;
  /** To the API, for the Lease and its events. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly durations: LeaderElectionOptions;
  /** Begins the work of a term, whose requests all go through the fence. */
  readonly start: (fence: Fence) => LedWork | Promise<LedWork>;
  readonly onEvent: (event: LeadershipEvent) => void;
  readonly reportError: (error: unknown) => void;
}

/** A server's part in an election. */
export interface Election {
  /**
   * Resolves when this server leads and its work has settled, or when it does not lead yet: the API does not wait for a Lease. Rejects when
   * the work of the first term cannot begin.
   */
  readonly decided: Promise<void>;
  /** Ends the work, then gives the Lease up, so that another server leads at once. */
  stop(): Promise<void>;
}

const NAMESPACE = "kube-system";
const RETRY_MS = 1000;

/** Stands for election again and again until it is stopped. Each term starts the work anew. */
export function standForElection(parts: ElectionParts): Election {
  const { program, transport, clock, timers, durations, start, reportError } = parts;
  const lease = `${NAMESPACE}/${program}`;
  const stopping = new AbortController();
  const { signal } = stopping;
  const decided = deferred<void>();
  decided.promise.catch(() => {});
  const report = (error: unknown): void => {
    if (!signal.aborted) reportError(error);
  };
  const tell = (event: LeadershipEvent): void => {
    try {
      parts.onEvent(event);
    } catch (error) {
      report(error);
    }
  };
  const client = kubernetesClient(
    { transport: () => transport },
    { clock, timers, headers: { "user-agent": program } },
  );
  const events = eventBroadcaster({ client, clock, timers, onError: report, onDropped: () => {} });
  const recorder = events.recorder({ component: program });
  let closeFence = (_reason?: string): void => {};
  let working: Promise<void> = Promise.resolve();
  const elector = new LeaderElector({
    ...durations,
    client,
    lease: { namespace: NAMESPACE, name: program },
    // Without the server's randomness: two servers may have the same, and no two may have one identity.
    clock,
    timers,
    events: {
      event(...event) {
        // A server whose term is over says so itself: another one has the Lease then.
        if (elector.isLeader()) recorder.event(...event);
      },
    },
    onStartedLeading(ending) {
      working = lead(ending);
      return working;
    },
    onStoppedLeading: () => closeFence(),
    onNewLeader(holder) {
      if (holder === elector.identity) return;
      const seconds = elector.record?.leaseDurationSeconds ?? 0;
      tell({ type: "waiting", lease, holder, until: clock.now() + seconds * 1000 });
      decided.resolve();
    },
    onError(error) {
      report(error);
      decided.resolve();
    },
  });
  const { identity } = elector;

  async function lead(ending: AbortSignal): Promise<void> {
    let isOver = false;
    const closed = new AbortController();
    // Every request and every watch listens.
    setMaxListeners(0, closed.signal);
    closeFence = (reason) => {
      if (isOver) return;
      isOver = true;
      closed.abort();
      tell({ type: "ended", lease, identity, ...(reason !== undefined && { reason }) });
    };
    tell({ type: "began", lease, identity });
    const work = await start({
      isOpen: () => !isOver && elector.isLeader(),
      closed: closed.signal,
      passed: ({ method, path }) => tell({ type: "request", lease, method, path }),
    });
    if (work.settled === undefined) decided.resolve();
    else void work.settled.then(() => decided.resolve());
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        work.stop().then(resolve, reject);
        // A server that is stopped leads until its work has ended.
        if (!elector.isLeader()) closeFence(errorMessage(ending.reason));
      };
      ending.addEventListener("abort", end, { once: true });
      if (ending.aborted) end();
    });
    decided.resolve();
  }

  // A candidate looks at the Lease every few seconds. One that is given up need not wait for that.
  const informers = new InformerFactory(client, { clock, timers, onFault: () => {}, onError: report });
  const lookAgain = (): void => elector.attempt();
  informers
    .of("coordination.k8s.io/v1", "Lease", { namespace: NAMESPACE, fieldSelector: `metadata.name=${program}` })
    .addHandler({
      updated(_, { spec }) {
        if ((spec?.holderIdentity ?? "") === "") lookAgain();
      },
      deleted: lookAgain,
    });
  informers.start(signal);

  const standing = (async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await elector.run(signal);
      } catch (error) {
        if (!isLeadershipLost(error)) {
          report(error);
          decided.reject(error instanceof Error ? error : new Error(errorMessage(error)));
          await pause(timers, RETRY_MS, signal);
        }
      }
      // A term begins when nothing of the one before it runs any more.
      await working.catch(() => {});
    }
  })();
  return {
    decided: decided.promise,
    async stop() {
      stopping.abort();
      decided.resolve();
      await standing;
      await informers.stopped();
      await events.close();
      await client.close();
    },
  };
}
