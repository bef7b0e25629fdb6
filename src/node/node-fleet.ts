import type { Pod } from "../api/types/core/v1.js";
import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/time/clock.js";
import { inParallel } from "../base/async/in-parallel.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../client/events/index.js";
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
  const { clock, timers, random } = options;
  const surroundings = { clock, timers, ...(random && { random }) };
  const stopping = new AbortController();
  const { signal } = stopping;
  setMaxListeners(0, signal);
  const report = (error: unknown): void => {
    if (!signal.aborted) options.reportError(error);
  };
  const client = kubernetesClient(
    { transport: () => options.transport },
    { ...surroundings, headers: { "user-agent": "kubelet/v1.36.3" } },
  );
  // Thousands of pods at once have more events than are worth to be kept: those that find no room are no fault.
  const events = eventBroadcaster({ client, ...surroundings, onError: report, onDropped: () => {} });
  const budget = new EventBudget(clock);
  const nodeBudget = new EventBudget(clock, NODE_EVENTS);
  const starts = new PodStarts(timers, options.ready);
  const reviews = options.reviews ?? new ServerReviews(client, clock);
  const { marks } = options;
  const informers = new InformerFactory(client, {
    ...surroundings,
    onFault: ({ error }) => (isUsualFault(error) ? undefined : report(error)),
    onError: report,
  });
  const shared = {
    client,
    services: informers.of("v1", "Service").lister,
    clock,
    timers,
    events,
    budget,
    nodeBudget,
    starts,
    reviews,
    ...(marks && { marks }),
    report,
  };
  const nodes = new Map(options.nodes.map((node) => [node.name, new FleetNode(node, shared)]));
  let keeping: Promise<unknown> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([informers.stopped(), keeping]);
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    await events.close();
    await client.close();
  };
  /** A node that is gone was not uncordoned. */
  const uncordoned = async (name: string): Promise<void> => {
    const node = nodes.get(name);
    if (node === undefined) return;
    const { spec } = await client.of("v1", "Node").get(name);
    if (spec?.unschedulable !== true) node.recordSchedulable(true);
  };
  /** The workers of the node that a pod is bound to. */
  const workersOf = ({ spec }: ReceivedObject<Pod>) => nodes.get(text(object(spec).nodeName))?.workers;
  try {
    await inParallel([...nodes.values()], REGISTERING, (node) => node.register());
    const [first] = options.nodes;
    const selected = options.nodes.length === 1 ? `spec.nodeName=${first?.name}` : "spec.nodeName!=";
    informers.of("v1", "Pod", { fieldSelector: selected }).addHandler({
      added: (pod) => void workersOf(pod)?.show(pod).catch(report),
      updated: (_before, pod) => void workersOf(pod)?.show(pod).catch(report),
      deleted: (pod) => void workersOf(pod)?.remove(pod).catch(report),
    });
    informers.start(signal);
    await informers.synced();
    // Their renewals are spread over the period.
    const { renewPeriod = RENEW_MS } = options;
    const spread = (index: number): number => Math.round((renewPeriod * (index + 1)) / nodes.size);
    keeping = Promise.all([...nodes.values()].map((node, index) => node.keep(signal, spread(index), renewPeriod)));
    // The user of a single node may read no other.
    const cordoned = options.nodes.length === 1 ? `metadata.name=${first?.name},${CORDONED}` : CORDONED;
    informers.of("v1", "Node", { fieldSelector: cordoned }).addHandler({
      added: ({ metadata }) => nodes.get(metadata?.name ?? "")?.recordSchedulable(false),
      deleted: ({ metadata }) =>
        void uncordoned(metadata?.name ?? "").catch((error) => (isNotFound(error) ? undefined : report(error))),
    });
    informers.start(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    node: (name) => nodes.get(name),
    portOf: (name) => nodes.get(name)?.port,
    addressOf: (name) => nodes.get(name)?.address,
    async usage(wanted) {
      return (await Promise.all([...nodes.values()].map((node) => node.usage(wanted)))).flat();
    },
    dial(host, port) {
      const comparable = comparableHost(host);
      for (const node of nodes.values()) {
        const connecting = node.dial(comparable, port);
        if (connecting !== undefined) return connecting;
      }
      return undefined;
    },
    stop,
  };
}
