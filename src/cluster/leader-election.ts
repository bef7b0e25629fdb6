import { setMaxListeners } from "node:events";
import type { Clock } from "../base/time/clock.js";
import { deferred } from "../base/async/deferred.js";
import { errorMessage } from "../base/text/error-message.js";
import { pause } from "../base/time/pause.js";
import type { Timers } from "../base/time/timers.js";
import { type KubernetesClient, kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { type EventBroadcaster, eventBroadcaster, type EventRecorder } from "../client/events/index.js";
import { InformerFactory } from "../client/informers/index.js";
import { isLeadershipLost, LeaderElector } from "../client/leaderelection/index.js";
import type { Transport } from "../client/transport/transport.js";
import type { Fence } from "../server/generic/transport/in-process.js";

/** A program of Kubernetes of which only one instance works at a time, however many servers share a storage. */
export type ElectedProgram = "kube-controller-manager" | "kube-scheduler";

/** The durations of an election in milliseconds, as kube-controller-manager's flags --leader-elect-... have them. */
export interface LeaderElectionOptions {
  /** How long other servers wait, without seeing a renewal, before they take over. Default 15,000. */
  readonly leaseDuration?: number;
  /** How long a server leads without a renewal. Less than `leaseDuration`. Default 10,000. */
  readonly renewDeadline?: number;
  /** The pause between two renewals, and between two attempts to lead. Default 2,000. */
  readonly retryPeriod?: number;
}

/** An event in the election of a program. */
export type LeadershipEvent =
  /** Another server holds the Lease, until this moment (milliseconds since the epoch) or, where it renews, for longer. */
  | { readonly type: "waiting"; readonly lease: string; readonly holder: string; readonly until: number }
  /** This server leads. */
  | { readonly type: "began"; readonly lease: string; readonly identity: string }
  /** This server leads no more, and sends nothing more in this term. `reason` is absent where the server was stopped. */
  | { readonly type: "ended"; readonly lease: string; readonly identity: string; readonly reason?: string }
  /** The program, in a term of this server, sends a request. */
  | { readonly type: "request"; readonly lease: string; readonly method: string; readonly path: string };

/** The work that a leader runs. */
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

/** Stands for election repeatedly until it is stopped. Each term starts the work again. */
export function standForElection(parts: ElectionParts): Election {
  return new Candidacy(parts);
}

class Candidacy implements Election {
  readonly #parts: ElectionParts;
  readonly #lease: string;
  readonly #stopping = new AbortController();
  readonly #decided = deferred<void>();
  readonly #client: KubernetesClient;
  readonly #events: EventBroadcaster;
  readonly #recorder: EventRecorder;
  readonly #elector: LeaderElector;
  readonly #informers: InformerFactory;
  readonly #standing: Promise<void>;
  /** Ends the requests of this server's term. */
  #closeFence = (_reason?: string): void => {};
  #working: Promise<void> = Promise.resolve();

  constructor(parts: ElectionParts) {
    this.#parts = parts;
    const { program, transport, clock, timers } = parts;
    this.#lease = `${NAMESPACE}/${program}`;
    this.#decided.promise.catch(() => {});
    const headers = { "user-agent": program };
    this.#client = kubernetesClient({ transport: () => transport }, { clock, timers, headers });
    const client = this.#client;
    this.#events = eventBroadcaster({ client, clock, timers, onError: this.#report, onDropped: () => {} });
    this.#recorder = this.#events.recorder({ component: program });
    this.#elector = this.#makeElector();
    this.#informers = new InformerFactory(client, { clock, timers, onFault: () => {}, onError: this.#report });
    this.#followLease();
    this.#standing = this.#stand();
  }

  get decided(): Promise<void> {
    return this.#decided.promise;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#decided.resolve();
    await this.#standing;
    await this.#informers.stopped();
    await this.#events.close();
    await this.#client.close();
  }

  #makeElector(): LeaderElector {
    const { program, clock, timers, durations } = this.#parts;
    return new LeaderElector({
      ...durations,
      client: this.#client,
      lease: { namespace: NAMESPACE, name: program },
      // Without the server's randomness: two servers may have the same, and no two may have one identity.
      clock,
      timers,
      events: {
        event: (...event) => {
          // A server whose term is over says so itself: another one has the Lease then.
          if (this.#elector.isLeader()) this.#recorder.event(...event);
        },
      },
      onStartedLeading: (ending) => {
        this.#working = this.#lead(ending);
        return this.#working;
      },
      onStoppedLeading: () => this.#closeFence(),
      onNewLeader: (holder) => this.#waitFor(holder),
      onError: (error) => {
        this.#report(error);
        this.#decided.resolve();
      },
    });
  }

  async #stand(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#elector.run(signal);
      } catch (error) {
        if (!isLeadershipLost(error)) {
          this.#report(error);
          this.#decided.reject(error instanceof Error ? error : new Error(errorMessage(error)));
          await pause(this.#parts.timers, RETRY_MS, signal);
        }
      }
      // A term begins when nothing of the one before it runs any more.
      await this.#working.catch(() => {});
    }
  }

  /** Runs the work of a term, from its beginning to its end. */
  async #lead(ending: AbortSignal): Promise<void> {
    const fence = this.#openFence();
    this.#tell({ type: "began", lease: this.#lease, identity: this.#elector.identity });
    const work = await this.#parts.start(fence);
    if (work.settled === undefined) this.#decided.resolve();
    else void work.settled.then(() => this.#decided.resolve());
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        work.stop().then(resolve, reject);
        // A server that is stopped leads until its work has ended.
        if (!this.#elector.isLeader()) this.#closeFence(errorMessage(ending.reason));
      };
      ending.addEventListener("abort", end, { once: true });
      if (ending.aborted) end();
    });
    this.#decided.resolve();
  }

  /** The fence of a new term. */
  #openFence(): Fence {
    const lease = this.#lease;
    let isOver = false;
    const closed = new AbortController();
    // Every request and every watch listens.
    setMaxListeners(0, closed.signal);
    this.#closeFence = (reason) => {
      if (isOver) return;
      isOver = true;
      closed.abort();
      this.#tell({
        type: "ended",
        lease,
        identity: this.#elector.identity,
        ...(reason !== undefined && { reason }),
      });
    };
    return {
      isOpen: () => !isOver && this.#elector.isLeader(),
      closed: closed.signal,
      passed: ({ method, path }) => this.#tell({ type: "request", lease, method, path }),
    };
  }

  #waitFor(holder: string): void {
    if (holder === this.#elector.identity) return;
    const seconds = this.#elector.record?.leaseDurationSeconds ?? 0;
    this.#tell({ type: "waiting", lease: this.#lease, holder, until: this.#parts.clock.now() + seconds * 1000 });
    this.#decided.resolve();
  }

  /** A candidate looks at the Lease every few seconds. One that is given up need not wait for that. */
  #followLease(): void {
    const lookAgain = (): void => this.#elector.attempt();
    const fieldSelector = `metadata.name=${this.#parts.program}`;
    this.#informers.of("coordination.k8s.io/v1", "Lease", { namespace: NAMESPACE, fieldSelector }).addHandler({
      updated(_, { spec }) {
        if ((spec?.holderIdentity ?? "") === "") lookAgain();
      },
      deleted: lookAgain,
    });
    this.#informers.start(this.#stopping.signal);
  }

  #tell(event: LeadershipEvent): void {
    try {
      this.#parts.onEvent(event);
    } catch (error) {
      this.#report(error);
    }
  }

  readonly #report = (error: unknown): void => {
    if (!this.#stopping.signal.aborted) this.#parts.reportError(error);
  };
}
