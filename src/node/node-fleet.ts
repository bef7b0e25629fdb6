import { DEFAULT_VERSION, gitVersionOf } from "../machinery/served-versions.js";
import type { Pod } from "../api/types/core/v1.js";
import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/time/clock.js";
import { inParallel } from "../base/async/in-parallel.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import { type KubernetesClient, kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { type EventBroadcaster, eventBroadcaster } from "../client/events/index.js";
import { InformerFactory } from "../client/informers/informer-factory.js";
import { isUsualFault } from "../client/reflector/list-watch.js";
import type { Transport } from "../client/transport/transport.js";
import { isNotFound } from "../machinery/errors/status-error.js";
import { object, type ReceivedObject, text } from "../machinery/meta/received.js";
import { PodStarts } from "./agent/pod-starts.js";
import type { RunMarks } from "./agent/run-marks.js";
import { RENEW_MS } from "./agent/node-registration.js";
import { EventBudget } from "../client/events/event-budget.js";
import { type CallerReviews, ServerReviews } from "./kubelet-api/caller-reviews.js";
import type { PodUsage } from "./pod-usage.js";
import { FleetNode, type NodeDescription } from "./fleet-node.js";
import { comparableHost } from "./node-host.js";

export interface FleetOptions {
  /** The version of their kubelets. Default: the default version's, "v1.37.1". */
  readonly kubeletVersion?: string | undefined;
  readonly nodes: readonly NodeDescription[];
  /** To the API server, as a user who may do what nodes may. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Varies how long watches last. */
  readonly random?: Random;
  readonly reportError: (error: unknown) => void;
  /** Asks about the callers of the kubelets' APIs. Default: the API server, by reviews that the nodes' user creates. */
  readonly reviews?: CallerReviews;
  /** Pods start when it has resolved: a server that starts is ready before its pods run again. Default: at once. */
  readonly ready?: Promise<void>;
  /** Marks of pods that have begun to run, which outlive this process. */
  readonly marks?: RunMarks;
  /** How often the nodes renew their Leases, in milliseconds. Default 20,000. */
  readonly renewPeriod?: number | undefined;
}

/** Running nodes. */
export interface NodeFleet {
  node(name: string): FleetNode | undefined;
  /** The port of a node's kubelet API; undefined for a node that has no socket. */
  portOf(name: string): number | undefined;
  /**
   * Connects to an address of the nodes' pod ranges, or to a node without a socket by its address or name. Rejects with a NetworkFailure where
   * nothing takes the connection; undefined for every other host.
   */
  dial(host: string, port: number): Promise<Duplex> | undefined;
  /** The address of a node that has no socket, by its name. */
  addressOf(name: string): string | undefined;
  /** What the running pods use that `wanted` selects. */
  usage(wanted: (pod: ReceivedObject<Pod>) => boolean): Promise<readonly PodUsage[]>;
  /** Ends the containers and connections of all nodes. Pods and Nodes stay in the API, as after a crash. */
  stop(): Promise<void>;
}

/** How many nodes register at a time. */
const REGISTERING = 16;
/** A thousand nodes that start together do not write two thousand events. */
const NODE_EVENTS = { perSecond: 10, burst: 100 };
/** Selects the nodes that were cordoned. */
const CORDONED = "spec.unschedulable=true";

/**
 * Starts nodes that share one client and one watch of pods: registers them, and runs the pods that are bound to them. Resolves when
 * they are ready.
 */
export async function startNodeFleet(options: FleetOptions): Promise<NodeFleet> {
  const fleet = new RunningFleet(options);
  await fleet.start();
  return fleet;
}

class RunningFleet implements NodeFleet {
  readonly #options: FleetOptions;
  readonly #stopping = new AbortController();
  readonly #client: KubernetesClient;
  readonly #events: EventBroadcaster;
  readonly #informers: InformerFactory;
  readonly #nodes: ReadonlyMap<string, FleetNode>;
  #keeping: Promise<unknown> | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    const { clock, timers, random, marks, kubeletVersion = gitVersionOf(DEFAULT_VERSION) } = options;
    const surroundings = { clock, timers, ...(random && { random }) };
    const report = this.#report;
    setMaxListeners(0, this.#stopping.signal);
    this.#client = kubernetesClient(
      { transport: () => options.transport },
      { ...surroundings, headers: { "user-agent": `kubelet/${kubeletVersion}` } },
    );
    const client = this.#client;
    // Thousands of pods at once have more events than are worth to be kept: those that find no room are no fault.
    this.#events = eventBroadcaster({ client, ...surroundings, onError: report, onDropped: () => {} });
    const budgets = { budget: new EventBudget(clock), nodeBudget: new EventBudget(clock, NODE_EVENTS) };
    const starts = new PodStarts(timers, options.ready);
    const reviews = options.reviews ?? new ServerReviews(client, clock);
    this.#informers = new InformerFactory(client, {
      ...surroundings,
      onFault: ({ error }) => (isUsualFault(error) ? undefined : report(error)),
      onError: report,
    });
    const shared = {
      kubeletVersion,
      client,
      services: this.#informers.of("v1", "Service").lister,
      clock,
      timers,
      events: this.#events,
      ...budgets,
      starts,
      reviews,
      ...(marks && { marks }),
      report,
    };
    this.#nodes = new Map(options.nodes.map((node) => [node.name, new FleetNode(node, shared)]));
  }

  /** Resolves when the nodes are ready. Rejects, with everything ended, when they cannot start. */
  async start(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await inParallel([...this.#nodes.values()], REGISTERING, (node) => node.register());
      this.#followPods();
      this.#informers.start(signal);
      await this.#informers.synced();
      this.#keeping = this.#keepNodes();
      this.#followCordons();
      this.#informers.start(signal);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  node(name: string): FleetNode | undefined {
    return this.#nodes.get(name);
  }

  portOf(name: string): number | undefined {
    return this.#nodes.get(name)?.port;
  }

  addressOf(name: string): string | undefined {
    return this.#nodes.get(name)?.address;
  }

  async usage(wanted: (pod: ReceivedObject<Pod>) => boolean): Promise<readonly PodUsage[]> {
    return (await Promise.all([...this.#nodes.values()].map((node) => node.usage(wanted)))).flat();
  }

  dial(host: string, port: number): Promise<Duplex> | undefined {
    const comparable = comparableHost(host);
    for (const node of this.#nodes.values()) {
      const connecting = node.dial(comparable, port);
      if (connecting !== undefined) return connecting;
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#informers.stopped(), this.#keeping]);
    await Promise.all([...this.#nodes.values()].map((node) => node.stop()));
    await this.#events.close();
    await this.#client.close();
  }

  #followPods(): void {
    const selected = this.#single === undefined ? "spec.nodeName!=" : `spec.nodeName=${this.#single}`;
    const report = this.#report;
    this.#informers.of("v1", "Pod", { fieldSelector: selected }).addHandler({
      added: (pod) => void this.#workersOf(pod)?.show(pod).catch(report),
      updated: (_before, pod) => void this.#workersOf(pod)?.show(pod).catch(report),
      deleted: (pod) => void this.#workersOf(pod)?.remove(pod).catch(report),
    });
  }

  /** Resolves when no node renews its Lease any more. The renewals are spread over the period. */
  #keepNodes(): Promise<unknown> {
    const { renewPeriod = RENEW_MS } = this.#options;
    const nodes = [...this.#nodes.values()];
    const spread = (index: number): number => Math.round((renewPeriod * (index + 1)) / nodes.length);
    return Promise.all(nodes.map((node, index) => node.keep(this.#stopping.signal, spread(index), renewPeriod)));
  }

  /** Records when nodes are cordoned and uncordoned. */
  #followCordons(): void {
    // The user of a single node may read no other.
    const cordoned = this.#single === undefined ? CORDONED : `metadata.name=${this.#single},${CORDONED}`;
    this.#informers.of("v1", "Node", { fieldSelector: cordoned }).addHandler({
      added: ({ metadata }) => this.#nodes.get(metadata?.name ?? "")?.recordSchedulable(false),
      deleted: ({ metadata }) =>
        void this.#recordUncordoned(metadata?.name ?? "").catch((error) =>
          isNotFound(error) ? undefined : this.#report(error),
        ),
    });
  }

  /** A node that is gone was not uncordoned. */
  async #recordUncordoned(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    const { spec } = await this.#client.of("v1", "Node").get(name);
    if (spec?.unschedulable !== true) node.recordSchedulable(true);
  }

  /** The name of the fleet's node, where it has one alone. */
  get #single(): string | undefined {
    const { nodes } = this.#options;
    return nodes.length === 1 ? nodes[0]?.name : undefined;
  }

  /** The workers of the node that a pod is bound to. */
  #workersOf({ spec }: ReceivedObject<Pod>): FleetNode["workers"] | undefined {
    return this.#nodes.get(text(object(spec).nodeName))?.workers;
  }

  readonly #report = (error: unknown): void => {
    if (!this.#stopping.signal.aborted) this.#options.reportError(error);
  };
}
