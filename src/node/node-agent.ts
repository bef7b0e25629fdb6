import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.js";
import type { Random } from "../base/random.js";
import type { Timers } from "../base/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../client/events/index.js";
import { InformerFactory } from "../client/informers/informer-factory.js";
import { objectKey } from "../client/informers/object-key.js";
import type { Transport } from "../client/transport/transport.js";
import { isConflict, isNotFound } from "../machinery/errors/status-error.js";
import { object, text } from "../machinery/meta/access.js";
import { duplexOf } from "../machinery/streaming/byte-stream-duplex.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { NodeRegistration } from "./agent/node-registration.js";
import { PodAddresses } from "./agent/pod-addresses.js";
import { PodWorker, type PodWorkerParts } from "./agent/pod-worker.js";
import type { ContainerRuntime } from "./container-runtime.js";
import { KubeletApi, type KubeletTls } from "./kubelet-api/kubelet-api.js";
import { streamPair } from "./byte-pipe.js";
import { isUsualFault } from "../client/reflector/usual-fault.js";

export interface NodeAgentOptions {
  /** The Node's name. */
  readonly name: string;
  /** To the API server, as a user who may do what nodes may. */
  readonly transport: Transport;
  readonly runtime: ContainerRuntime;
  readonly labels?: Readonly<Record<string, string>>;
  /** Where the addresses of its pods come from. Default "10.244.0.0/24". */
  readonly podCidr?: string;
  /** Default: 8 CPUs, 16 GiB of memory, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Of the kubelet's API. */
  readonly tls: KubeletTls;
  /** Opens the kubelet's API on a socket; port 0 takes a free one. Left out: only {@link NodeAgent.dial} and `connect` reach it. */
  readonly socket?: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly timers: Timers;
  /** Varies how long watches last. */
  readonly random?: Random;
  readonly reportError: (error: unknown) => void;
}

/** A running node. */
export interface NodeAgent {
  readonly name: string;
  /** The port of the kubelet's API; undefined without a socket. */
  readonly port: number | undefined;
  /** Connects to the address of a pod, or of the node where it has no socket; undefined for every other address. */
  dial(ip: string, port: number): Promise<Duplex> | undefined;
  /** Hands the kubelet's API a connection from inside the process: it speaks plain HTTP/1.1 on it. */
  connect(connection: Duplex): void;
  /** Ends the node's containers and connections. Its pods and its Node stay in the API, as after a crash. */
  stop(): Promise<void>;
}

const KUBELET_PORT = 10_250;
const CAPACITY = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Starts a node: registers it, and runs the pods that are bound to it. Resolves when it is ready. */
export async function startNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { name, runtime, clock, timers, random, podCidr = "10.244.0.0/24" } = options;
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
  const events = eventBroadcaster({ client, ...surroundings, onError: report });
  const recorder = events.recorder({ component: "kubelet", host: name });
  const { socket, tls } = options;
  const addresses = new PodAddresses(podCidr);
  const host = socket?.host ?? addresses.bridge;
  const workers = new NodeWorkers(addresses, {
    client,
    runtime,
    clock,
    timers,
    hostIp: host,
    report,
    event: (pod, type, reason, message) => recorder.event(pod, type, reason, message),
  });
  const api = new KubeletApi({ nodeName: name, pods: workers, runtime, clock, timers });
  const port = socket && (await api.listen(socket.host, socket.port, tls));
  const facts = {
    name,
    labels: options.labels ?? {},
    address: host,
    port: port ?? KUBELET_PORT,
    podCidr,
    runtimeVersion: runtime.version,
    capacity: options.capacity ?? CAPACITY,
  };
  const registration = new NodeRegistration(client, facts, clock, timers, report);
  const informers = new InformerFactory(client, {
    ...surroundings,
    onFault: ({ error }) => (isUsualFault(error) ? undefined : report(error)),
    onError: report,
  });
  let keeping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all([informers.stopped(), keeping]);
    await workers.stop();
    await api.close();
    await events.close();
    await client.close();
  };
  try {
    await registration.register();
    const pods = informers.of("v1", "Pod", { fieldSelector: `spec.nodeName=${name}` });
    pods.addHandler({
      added: (pod) => workers.show(pod as KubeObject),
      updated: (_before, pod) => workers.show(pod as KubeObject),
      deleted: (pod) => workers.remove(pod as KubeObject),
    });
    informers.start(signal);
    await informers.synced();
    keeping = registration.keep(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    port,
    dial(ip, wanted) {
      if (socket === undefined && ip === host && wanted === KUBELET_PORT) return connectTls(api, tls);
      const uid = workers.uidAt(ip);
      return uid === undefined ? undefined : runtime.dial(uid, wanted).then(duplexOf);
    },
    connect: (connection) => api.serve(connection),
    stop,
  };
}

/** A connection in memory to the kubelet's API, on which the client speaks TLS. */
async function connectTls(api: KubeletApi, tls: KubeletTls): Promise<Duplex> {
  const [client, server] = streamPair();
  api.serve(duplexOf(server), tls);
  return duplexOf(client);
}

/** The pods of a node, each with its worker. */
class NodeWorkers {
  readonly #workers = new Map<string, { readonly worker: PodWorker; readonly ip: string }>();
  /** Pods that had ended before the node was started. */
  readonly #ended = new Map<string, KubeObject>();

  constructor(
    private readonly addresses: PodAddresses,
    private readonly parts: PodWorkerParts,
  ) {}

  list(): readonly KubeObject[] {
    return [...this.#ended.values(), ...[...this.#workers.values()].map(({ worker }) => worker.pod)];
  }

  find(namespace: string, name: string): KubeObject | undefined {
    return this.list().find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name);
  }

  /** The uid of the pod that has the address. */
  uidAt(ip: string): string | undefined {
    for (const known of this.#workers.values()) if (known.ip === ip) return known.worker.pod.metadata?.uid;
    return undefined;
  }

  /** A pod of the node is there, or has changed. */
  async show(pod: KubeObject): Promise<void> {
    const key = keyOf(pod);
    const known = this.#workers.get(key);
    if (known !== undefined) {
      known.worker.update(pod);
      return;
    }
    if (["Succeeded", "Failed"].includes(text(object(pod.status).phase))) {
      this.#ended.set(key, pod);
      if (pod.metadata?.deletionTimestamp !== undefined) await this.#delete(pod);
      return;
    }
    const ip = this.addresses.take(text(object(pod.status).podIP) || undefined);
    if (ip === undefined) {
      this.parts.report(new Error(`no address is left for pod ${objectKey(pod)}`));
      return;
    }
    const worker = new PodWorker(pod, ip, this.parts);
    this.#workers.set(key, { worker, ip });
    worker.start();
  }

  /** A pod is gone from the API. */
  async remove(pod: KubeObject): Promise<void> {
    const key = keyOf(pod);
    this.#ended.delete(key);
    const known = this.#workers.get(key);
    this.#workers.delete(key);
    if (known === undefined) return;
    await known.worker.vanish();
    this.addresses.giveBack(known.ip);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#workers.values()].map(({ worker }) => worker.vanish()));
  }

  async #delete({ metadata: { namespace = "", name = "", uid = "" } = {} }: KubeObject): Promise<void> {
    try {
      await this.parts.client
        .of("v1", "Pod")
        .namespace(namespace)
        .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** A pod of the same name that was created since is another one. */
const keyOf = (pod: KubeObject): string => `${objectKey(pod)}/${pod.metadata?.uid ?? ""}`;
