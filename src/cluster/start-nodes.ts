import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.js";
import { forkRandom, type Random } from "../base/random.js";
import type { Timers } from "../base/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../client/events/index.js";
import type { Transport } from "../client/transport/transport.js";
import type { ContainerRuntime } from "../node/container-runtime.js";
import { type NodeAgent, startNodeAgent } from "../node/node-agent.js";
import { bindPods } from "../node/pod-binder.js";
import type { ScriptedImage } from "../node/scripted/image.js";
import { ScriptedRuntime } from "../node/scripted/scripted-runtime.js";
import { issueCertificate, issuerOf } from "./pki/certificate.js";
import { CA_NAME, type ClusterPki } from "./pki/cluster-pki.js";

/** A node of a cluster, in the cluster's process. */
export interface NodeOptions {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What images are to the node's containers, by name. Others have a shell and the usual programs, and wait for a signal. */
  readonly images?: Readonly<Record<string, ScriptedImage>>;
  /** Which images there are at all. Default: every name. */
  readonly hasImage?: (image: string) => boolean;
  /** Runs the containers in the place of the scripted runtime, which knows `images`. */
  readonly runtime?: ContainerRuntime;
  /** As the Node's status shows it: {cpu: "8", memory: "16Gi", pods: "110"}. */
  readonly capacity?: Readonly<Record<string, string>>;
}

export interface NodeParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly pki: ClusterPki;
  /** False: the kubelet's APIs are reached inside the process alone. */
  readonly sockets: boolean;
  readonly reportError: (error: unknown) => void;
}

/** The nodes of a cluster that run in its process. */
export interface LocalNodes {
  /** Connects to the address of a pod, or of a node without a socket; undefined for every other address. */
  dial(ip: string, port: number): Promise<Duplex> | undefined;
  /** Ends them, as a crash would: the API keeps their Nodes and pods. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const DAY = 86_400_000;

/** Starts the nodes, and binds pods to them. Resolves when they are ready. */
export async function startNodes(nodes: readonly NodeOptions[], parts: NodeParts): Promise<LocalNodes> {
  const { transport, clock, timers, random, reportError } = parts;
  const agents = new Map<string, NodeAgent>();
  const binding = new AbortController();
  const client = kubernetesClient(
    { transport: () => transport },
    { clock, timers, random, headers: { "user-agent": "kube-scheduler" } },
  );
  const events = eventBroadcaster({ client, clock, timers, random, onError: reportError });
  const recorder = events.recorder({ component: "default-scheduler" });
  const stop = async (): Promise<void> => {
    binding.abort();
    await Promise.all([...agents.values()].map((agent) => agent.stop()));
    await events.close();
    await client.close();
  };
  try {
    for (const [index, node] of nodes.entries()) agents.set(node.name, await startNode(node, index, parts));
    const bindable = nodes.map(({ name, labels }) => ({
      name,
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", ...labels },
    }));
    const event: Parameters<typeof bindPods>[1]["event"] = (pod, type, reason, message) =>
      recorder.event(pod, type, reason, message);
    const report = (error: unknown): void => {
      if (!binding.signal.aborted) reportError(error);
    };
    await bindPods(bindable, { client, clock, timers, random, report, event }, binding.signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dial(ip, port) {
      for (const agent of agents.values()) {
        const connecting = agent.dial(ip, port);
        if (connecting !== undefined) return connecting;
      }
      return undefined;
    },
    stop,
  };
}

function startNode(node: NodeOptions, index: number, parts: NodeParts): Promise<NodeAgent> {
  const { transport, clock, timers, pki, sockets, reportError } = parts;
  const random = forkRandom(parts.random, node.name);
  const { name, labels, capacity, images, hasImage } = node;
  const runtime =
    node.runtime ??
    new ScriptedRuntime({
      ...(images && { images }),
      ...(hasImage && { hasImage }),
      clock,
      timers,
      random,
    });
  return startNodeAgent({
    name,
    transport,
    runtime,
    ...(labels && { labels }),
    ...(capacity && { capacity }),
    podCidr: `10.244.${index}.0/24`,
    tls: servingCertificate(name, pki, clock, random),
    ...(sockets && { socket: { host: HOST, port: 0 } }),
    clock,
    timers,
    random,
    reportError,
  });
}

/** As a kubelet's: for its node's name, from the cluster's authority, whose clients it serves. */
function servingCertificate(name: string, { ca }: ClusterPki, clock: Clock, random: Random) {
  const now = clock.now();
  const request = {
    commonName: `system:node:${name}`,
    organizations: ["system:nodes"],
    notBefore: now - DAY,
    notAfter: now + 365 * DAY,
    serial: random.bytes(16),
    usage: "server",
    names: [name, "localhost", HOST],
  } as const;
  return { ...issueCertificate(request, issuerOf(ca, CA_NAME)), clientCa: ca.certificate };
}
