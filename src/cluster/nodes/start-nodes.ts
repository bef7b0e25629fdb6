import type { Duplex } from "node:stream";
import type { Taint } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import { forkRandom, type Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { kubernetesClient, type KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { ContainerRuntime } from "../../node/container-runtime.js";
import type { NodeDescription } from "../../node/fleet-node.js";
import { startNodeFleet } from "../../node/node-fleet.js";
import { RENEW_MS } from "../../node/agent/node-registration.js";
import type { ScriptedImage } from "../../node/scripted/image.js";
import type { MakeCertificate } from "../../node/scripted/images/certificate-maker.js";
import type { ImageScript } from "../../node/scripted/images/image-script.js";
import { clusterPodNetwork } from "../../node/network/cluster-pod-network.js";
import type { PodForwards } from "../../node/scripted/network/pod-forwards.js";
import type { Program } from "../../node/scripted/program.js";
import { ScriptedRuntime, type ScriptedRuntimeOptions } from "../../node/scripted/scripted-runtime.js";
import type { KeptVolumes } from "../../node/scripted/volumes/kept-volumes.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { PodUsage } from "../../node/pod-usage.js";
import { StagedRuntime } from "../../node/stages/staged-runtime.js";
import type { StagesOf } from "../../node/stages/stages.js";
import type { CallerReviews } from "../../node/kubelet-api/caller-reviews.js";
import type { Server } from "../../server/generic/server.js";
import { authenticated } from "../../server/request/user.js";
import { podCidr } from "./nodes-network.js";
import { keptVolumes } from "../kept-volumes.js";
import { builtInScripts } from "../../node/scripted/images/built-in.js";
import type { ClusterNetwork } from "../../server/kubelet/cluster-network.js";
import { DNS_ADDRESS, SERVICE_CIDR } from "../system-objects.js";
import { openRunMarks } from "../run-marks.js";
import { issueCertificate, issuerOf, issuerOfCertificate } from "../../machinery/crypto/issue-certificate.js";
import { CA_NAME, type ClusterPki } from "../pki/cluster-pki.js";
import { keyMaker } from "../../machinery/crypto/key-maker.js";
import type { ServicePortsOf } from "../../node/scripted/stand-in/stand-in.js";

/** A node of a cluster, in the cluster's process. */
export interface NodeOptions {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** What images are to the node's containers, by name. Others have a shell and the usual programs. */
  readonly images?: Readonly<Record<string, ScriptedImage>>;
  /** Which images there are at all. Default: every name. */
  readonly hasImage?: (image: string) => boolean;
  /** Runs the containers in the place of the scripted runtime, which knows `images`. */
  readonly runtime?: ContainerRuntime;
  /** As the Node's status shows it: {cpu: "8", memory: "16Gi", pods: "110"}. */
  readonly capacity?: Readonly<Record<string, string>>;
}

/** The parts with which nodes run containers, in the process of an API server or in one of their own. */
export interface RuntimeParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** What containers do in place of their images, where their pod has no annotation that says so. */
  readonly stages?: StagesOf;
  /** Whether containers whose programs are not there stand in for their images. */
  readonly standIn: boolean;
  /** What containers of some images run. */
  readonly imageScripts: readonly ImageScript[];
  /** Which ports of pods lead to programs of this machine. */
  readonly forwards: PodForwards | undefined;
  readonly reportError: (error: unknown) => void;
  /** What pods reach of the cluster beside what the API says. */
  readonly network: NodeNetwork;
}

export interface NodeParts extends RuntimeParts, Pick<Server, "authorization" | "release" | "tokens"> {
  readonly pki: ClusterPki;
  /** Resolves when pods may start. */
  readonly ready: Promise<void>;
  /** Where marks of pods outlive this process. */
  readonly marksFile: string | undefined;
  /** How long a node may be silent, in milliseconds, where the cluster has another time than the default. */
  readonly nodeMonitorGracePeriod: number | undefined;
  /** Of a server that shares its storage with others. */
  readonly shared?: SharedNodes | undefined;
}

/** The network that the programs of pods reach. */
export interface NodeNetwork extends Required<Pick<ClusterNetwork, "dial" | "isOwn">> {
  /** Where the API server listens on this machine; undefined where it has no port. */
  readonly api: { readonly host: string; readonly port: number } | undefined;
}

/** The labels and blocks of the nodes of a server that shares its storage with others. */
export interface SharedNodes {
  /** What marks the Nodes as the server's. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The blocks of the nodes' pod addresses, by name. */
  readonly ranges: ReadonlyMap<string, string>;
  /** Called when a Node that was deleted has been created again; rejects where another Node has its addresses by now. */
  readonly checkReturn: (node: string) => Promise<void>;
  /** The address on which the other servers reach the nodes; undefined for a server without a port. */
  readonly host: string | undefined;
  /** The time by which other processes verify certificates. */
  readonly verifiers: Clock;
}

/** The nodes of a cluster that run in its process. */
export interface LocalNodes {
  /** Connects to a host of the nodes, as the dial of a NodeFleet. */
  dial(host: string, port: number): Promise<Duplex> | undefined;
  /** The address of a node by its name. */
  addressOf(name: string): string | undefined;
  /** What the running pods use that `wanted` selects. */
  usage(wanted: (pod: KubeObject) => boolean): Promise<readonly PodUsage[]>;
  /** Ends them, as a crash would: the API keeps their Nodes and pods. */
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const DAY = 86_400_000;

/** Starts the nodes. Resolves when they are ready. */
export async function startNodes(nodes: readonly NodeOptions[], parts: NodeParts): Promise<LocalNodes> {
  const { transport, clock, timers, random, reportError, ready, marksFile } = parts;
  const { stop: dropVolumes, ...surroundings } = nodeSurroundings(parts);
  const described = nodes.map((node, index) => describe(node, index, parts, surroundings));
  const marks = marksFile === undefined ? undefined : openRunMarks(marksFile, reportError);
  const reviews = reviewsOf(parts);
  // Two renewals may be late before a node counts as lost.
  const renewPeriod = parts.nodeMonitorGracePeriod && Math.min(parts.nodeMonitorGracePeriod / 3, RENEW_MS);
  const kubeletVersion = parts.release.gitVersion;
  const fleet = {
    kubeletVersion,
    nodes: described,
    transport,
    clock,
    timers,
    random,
    reportError,
    reviews,
    ready,
    renewPeriod,
  };
  const started = await startNodeFleet({ ...fleet, ...(marks && { marks }) });
  return {
    dial: (host, port) => started.dial(host, port),
    addressOf: (name) => started.addressOf(name),
    usage: (wanted) => started.usage(wanted),
    async stop() {
      await started.stop();
      await dropVolumes();
      marks?.close();
    },
  };
}

/** Makes the parts that the nodes of a process share. */
export function nodeSurroundings(
  { transport, clock, timers, random, reportError, network }: RuntimeParts,
  { serviceCidr, dnsAddress } = { serviceCidr: SERVICE_CIDR, dnsAddress: DNS_ADDRESS },
): NodeSurroundings & { stop(): Promise<void> } {
  const client = once(() => kubernetesClient({ transport: () => transport }));
  const pods = clusterPodNetwork({
    ...network,
    client,
    clock,
    timers,
    random: forkRandom(random, "services"),
    serviceCidr,
    dnsAddress,
  });
  const { volumes, stop } = keptVolumes({
    transport,
    clock,
    timers,
    random: forkRandom(random, "volumes"),
    reportError,
  });
  return { network: pods, servicePortsOf: servicePorts(client), volumes, stop };
}

/** What TokenReview and SubjectAccessReview would answer: the server's own chains, without a request and without answers that are old. */
const reviewsOf = ({ authorization, tokens }: Pick<Server, "authorization" | "tokens">): CallerReviews => ({
  async callerOf(token) {
    const { user } = await tokens(token);
    return user && authenticated(user);
  },
  async allows(user, { verb, node, subresource }) {
    const { decision } = await authorization.authorize({
      user,
      verb,
      isResourceRequest: true,
      apiGroup: "",
      apiVersion: "v1",
      resource: "nodes",
      subresource,
      namespace: "",
      name: node,
      path: "",
    });
    return decision === "allow";
  },
});

/** The parts that all nodes of a process share. */
export interface NodeSurroundings extends Required<Pick<ScriptedRuntimeOptions, "network" | "servicePortsOf">> {
  readonly volumes: KeptVolumes;
}

function describe(node: NodeOptions, index: number, parts: NodeParts, surroundings: NodeSurroundings): NodeDescription {
  const { clock, pki, shared } = parts;
  const random = forkRandom(parts.random, node.name);
  const { name, labels, taints, capacity } = node;
  return {
    name,
    runtime: nodeRuntime(node, parts, random, surroundings),
    labels: { ...labels, ...shared?.labels },
    ...(shared && { annotations: shared.annotations }),
    ...(taints && { taints }),
    ...(capacity && { capacity }),
    ...(shared && { checkReturn: () => shared.checkReturn(name) }),
    ...(shared?.host !== undefined && { peersAt: shared.host }),
    podCidr: shared?.ranges.get(name) ?? podCidr(index),
    tls: once(() => servingCertificate(name, pki, [clock, shared?.verifiers ?? clock], random)),
  };
}

/** Makes the runtime for the containers of a node. `random` is the node's own. */
export function nodeRuntime(
  node: NodeOptions,
  parts: RuntimeParts,
  random: Random,
  { volumes, ...surroundings }: NodeSurroundings,
): ContainerRuntime {
  const { clock, timers, standIn, forwards, stages, reportError } = parts;
  const { name, images, hasImage } = node;
  const kubectl = kubectlOf(random);
  const own =
    node.runtime ??
    new ScriptedRuntime({
      ...(images && { images }),
      ...(hasImage && { hasImage }),
      standIn,
      imageScripts: parts.imageScripts,
      programs: { kubectl },
      builtInScripts: builtInScripts({
        makeCertificate: certificateMaker(random),
        random: (bytes) => random.bytes(bytes),
        kubectl,
      }),
      ...(forwards && { forwards }),
      ...surroundings,
      volumes: volumes.ofNode(name),
      clock,
      timers,
      random,
    });
  return new StagedRuntime(own, { ...(stages && { stages }), clock, timers, reportError });
}

/** kubectl for containers: the command line is loaded when the first of them calls it. */
const kubectlOf =
  (random: Random): Program =>
  async (io) => {
    const { kubectl } = await inOrder(import("../../node/scripted/programs/kubectl/kubectl.js"));
    return kubectl(async () => (await inOrder(import("../../kubectl.js"))).runKubectl, random)(io);
  };

/** Makes certificates of authorities that programs in pods make; the cluster's own authority signs none of them. */
function certificateMaker(random: Random): MakeCertificate {
  const keys = keyMaker(random);
  return (order, authority) => {
    const issuer = authority && issuerOfCertificate(authority, keys);
    return issueCertificate({ ...order, serial: random.bytes(16) }, issuer, keys);
  };
}

/** As a kubelet's: for its node's name, from the cluster's authority, whose clients it serves; valid by each of the clocks. */
function servingCertificate(name: string, { ca }: ClusterPki, clocks: readonly Clock[], random: Random) {
  const times = clocks.map((clock) => clock.now());
  const request = {
    commonName: `system:node:${name}`,
    organizations: ["system:nodes"],
    notBefore: Math.min(...times) - DAY,
    notAfter: Math.max(...times) + 365 * DAY,
    serial: random.bytes(16),
    usage: "server",
    names: [name, "localhost", HOST],
  } as const;
  return { ...issueCertificate(request, issuerOf(ca, CA_NAME)), clientCa: ca.certificate };
}

/** Makes a function that lists the Services of a pod's namespace to find the ports that they send to. */
export function servicePorts(client: () => KubernetesClient): ServicePortsOf {
  return async ({ metadata }) => {
    const { namespace = "", labels = {} } = metadata ?? {};
    const { items } = await client().of("v1", "Service").namespace(namespace).list();
    const selecting = items.filter(({ spec }) => {
      const selector = Object.entries(spec?.selector ?? {});
      return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
    });
    return selecting.flatMap(({ spec }) =>
      (spec?.ports ?? []).map(({ port, targetPort = port }) => Number(targetPort)),
    );
  };
}
