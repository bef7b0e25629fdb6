import type { Pod } from "../api/types/core/v1.js";
import type { Duplex } from "node:stream";
import type { Taint } from "../api/types/core/v1.js";
import { once } from "../base/async/once.js";
import { markStandIn, standInAt } from "../machinery/wire/streams/stand-in-end.js";
import { duplexOf } from "../machinery/wire/streams/duplexes.js";
import { referenceTo } from "../client/events/object-reference.js";
import type { EventBroadcaster, EventRecorder } from "../client/events/index.js";
import { NodeRegistration, nodeStatusText } from "./agent/node-registration.js";
import { NodeWorkers } from "./agent/node-workers.js";
import { PodAddresses } from "./agent/pod-addresses.js";
import { isKubeletAtLeast, type PodWorkerParts } from "./agent/pod-context.js";
import { streamPair } from "./byte-pipe.js";
import { NetworkFailure } from "../client/transport/go-network-error.js";
import { type ContainerRuntime, RuntimeError } from "./container-runtime.js";
import type { EventBudget } from "../client/events/event-budget.js";
import { comparableHost, isAddressOf } from "./node-host.js";
import { type PodUsage, podUsage } from "./pod-usage.js";
import type { CallerReviews } from "./kubelet-api/caller-reviews.js";
import { KubeletApi, type KubeletTls } from "./kubelet-api/kubelet-api.js";
import type { ReceivedObject } from "../machinery/meta/received.js";

/** The settings of one node. */
export interface NodeDescription {
  /** The Node's name. */
  readonly name: string;
  readonly runtime: ContainerRuntime;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Where the addresses of its pods come from: a block of IPv4 addresses that no other node has. */
  readonly podCidr: string;
  /** Default: 8 CPUs, 16 GiB of memory, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Of the kubelet's API; asked for when it is first reached. */
  readonly tls: () => KubeletTls;
  /** Opens the kubelet's API on a socket; port 0 takes a free one. Left out: it is reached inside the process alone. */
  readonly socket?: { readonly host: string; readonly port: number };
  /**
   * The address on which the kubelet's API also takes other API servers' connections, by TLS and on a free port. The node and its pods stay
   * hosts of the process: the others reach them through that port.
   */
  readonly peersAt?: string;
  /** As {@link NodeFacts.checkReturn}. */
  readonly checkReturn?: (() => Promise<void>) | undefined;
}

/** The parts that all nodes of a fleet share. */
export interface FleetParts extends Omit<PodWorkerParts, "runtime" | "hostIp" | "capacity" | "event"> {
  readonly events: EventBroadcaster;
  readonly budget: EventBudget;
  /** Of the events of the nodes themselves, so that they take no room from those of pods. */
  readonly nodeBudget: EventBudget;
  readonly reviews: CallerReviews;
}

/** Where a kubelet is inside the process. */
const KUBELET_PORT = 10_250;
const LOOPBACK = "127.0.0.1";
const CAPACITY = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** One node: its pods, its entry in the API and its kubelet's API. */
export class FleetNode {
  readonly name: string;
  readonly workers: NodeWorkers;
  /** The port of the kubelet's API; undefined where it is reached inside the process alone. */
  port: number | undefined;
  readonly #host: string;
  readonly #recorder: EventRecorder;
  readonly #api: () => KubeletApi;
  #registration: NodeRegistration | undefined;

  constructor(
    private readonly node: NodeDescription,
    private readonly parts: FleetParts,
  ) {
    const { name, runtime, socket, capacity = CAPACITY } = node;
    const { events, budget, nodeBudget, reviews, ...shared } = parts;
    const { clock, timers } = parts;
    const addresses = new PodAddresses(node.podCidr);
    const kubelet = events.recorder({ component: "kubelet", host: name });
    const recorder = budget.limit(kubelet);
    this.#recorder = nodeBudget.limit(kubelet);
    this.name = name;
    this.#host = socket?.host ?? addresses.bridge;
    this.workers = new NodeWorkers(addresses, {
      ...shared,
      runtime,
      hostIp: this.#host,
      capacity,
      event: (pod, type, reason, message, fieldPath) =>
        recorder.event(fieldPath === undefined ? pod : { ...referenceTo(pod), fieldPath }, type, reason, message),
    });
    this.#api = once(
      () =>
        new KubeletApi({
          nodeName: name,
          kubeletVersion: parts.kubeletVersion,
          pods: this.workers,
          runtime,
          clock,
          timers,
          reviews,
          report: parts.report,
          dial: (host, port) => this.dial(comparableHost(host), port),
        }),
    );
  }

  /** Opens the socket where there is one, and makes the Node ready. */
  async register(): Promise<void> {
    const { name, labels = {}, annotations = {}, taints = [], podCidr, capacity = CAPACITY, runtime } = this.node;
    const { socket, peersAt, tls } = this.node;
    const { kubeletVersion, client, clock, timers, report } = this.parts;
    if (socket !== undefined) this.port = await this.#api().listen(socket.host, socket.port, tls());
    else if (peersAt !== undefined) this.port = await this.#api().listen(peersAt, 0, tls());
    const facts = {
      name,
      labels,
      annotations,
      taints,
      address: this.#host,
      hostname: this.#hostname,
      port: this.port ?? KUBELET_PORT,
      podCidr,
      runtimeVersion: runtime.version,
      kubeletVersion,
      capacity,
      checkReturn: this.node.checkReturn,
    };
    const event = (reason: string, message: string): void => this.#event(reason, message);
    this.#registration = new NodeRegistration(client, facts, clock, timers, report, event);
    await this.#registration.register();
  }

  /** Records that the Node was cordoned, or is no more. */
  recordSchedulable(isSchedulable: boolean): void {
    const reason = isSchedulable ? "NodeSchedulable" : "NodeNotSchedulable";
    this.#event(reason, nodeStatusText(this.name, reason));
  }

  /** A kubelet before 1.37 gives the node's name for its uid; a later one does until the node is registered (K37-183). */
  #event(reason: string, message: string): void {
    const { name } = this;
    const isNewer = isKubeletAtLeast(this.parts.kubeletVersion, "1.37");
    const uid = (isNewer && this.#registration?.uid) || name;
    this.#recorder.event({ apiVersion: "v1", kind: "Node", name, uid }, "Normal", reason, message);
  }

  /** Where API servers reach the kubelet; without a port its name inside the process, which no other machine resolves. */
  get #hostname(): string {
    const { socket, peersAt } = this.node;
    if (socket === undefined) return peersAt ?? this.name;
    return this.#host === LOOPBACK ? "localhost" : this.#host;
  }

  /** Where it is reached inside the process; undefined where it has a socket. */
  get address(): string | undefined {
    return this.node.socket === undefined ? this.#host : undefined;
  }

  /** Keeps the Node's status and Lease until `signal` aborts; the first renewal comes after `delay` milliseconds. */
  async keep(signal: AbortSignal, delay: number, period: number): Promise<void> {
    await this.#registration?.keep(signal, delay, period);
  }

  /**
   * Connects to an address of the node's pod range, or to the node by address or name where it has no socket: to a pod, the kubelet or a host
   * port. No other program of the machine has these, so that it rejects with a {@link NetworkFailure} where nothing takes the connection.
   * Undefined for every other host. `host` is as {@link comparableHost} has it.
   */
  dial(host: string, port: number): Promise<Duplex> | undefined {
    const { socket, tls, podCidr } = this.node;
    const isNode = socket === undefined && (host === this.#host || host === this.name);
    if (!isNode && !isAddressOf(podCidr, host)) return undefined;
    if (isNode && (port === KUBELET_PORT || port === this.port)) return connectTls(this.#api(), tls());
    const uid = this.workers.uidAt(host);
    const target = isNode ? this.workers.atHostPort(port) : uid === undefined ? undefined : { uid, port };
    if (target !== undefined) return this.#connectPod(target, host, port);
    const node = `node ${JSON.stringify(this.name)}`;
    const reason = isNode
      ? `connection refused: nothing listens on that port of ${node}`
      : `no route to host: no pod of ${node} has that address`;
    return Promise.reject(unreachable(host, port, reason));
  }

  async #connectPod(
    target: { readonly uid: string; readonly port: number },
    host: string,
    port: number,
  ): Promise<Duplex> {
    try {
      const stream = await this.node.runtime.dial(target.uid, target.port);
      return markStandIn(duplexOf(stream), standInAt(stream));
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      if (error.reason === "ForwardRefused") throw unreachable(host, port, error.message);
      // A runtime words it for port-forward.
      if (error.reason !== "ConnectionRefused") throw error;
      throw unreachable(host, port, "connection refused");
    }
  }

  /** Hands the kubelet's API a connection of the holder; see {@link KubeletApi.serveHolder}. */
  connect(connection: Duplex): void {
    this.#api().serveHolder(connection);
  }

  /** What the running pods use that `wanted` selects. */
  usage(wanted: (pod: ReceivedObject<Pod>) => boolean): Promise<readonly PodUsage[]> {
    return podUsage(this.workers, this.node.runtime, wanted);
  }

  /** Ends the containers and connections. */
  async stop(): Promise<void> {
    await this.workers.stop();
    await this.#api().close();
  }
}

const unreachable = (host: string, port: number, reason: string): NetworkFailure =>
  new NetworkFailure(`dial tcp ${host}:${port}: connect: ${reason}`, "ECONNREFUSED");

/** A connection in memory to the kubelet's API, on which the client speaks TLS. */
async function connectTls(api: KubeletApi, tls: KubeletTls): Promise<Duplex> {
  const [client, server] = streamPair();
  api.serve(duplexOf(server), tls);
  return duplexOf(client);
}
