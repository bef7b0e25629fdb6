import { resolve } from "node:path";
import { readText } from "../../base/files/read-file.js";
import { parseForward, parseRange } from "../../base/forward.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { untilAborted, aborted } from "../../base/async/until-aborted.js";
import { forkRandom } from "../../base/numbers/random.js";
import { pause } from "../../base/time/pause.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { kubernetesClient, type KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Component, ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { pairsOf } from "../../component/flags/pairs.js";
import { freeRange } from "../../controllers/node-ipam/node-ipam-controller.js";
import { readKeyPair } from "../../machinery/crypto/key-pair.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { NodeDescription } from "../../node/fleet-node.js";
import type { KubeletTls } from "../../node/kubelet-api/kubelet-api.js";
import { type NodeFleet, startNodeFleet } from "../../node/node-fleet.js";
import { comparableHost, isAddressOf } from "../../node/node-host.js";
import { openImageScripts } from "../image-scripts.js";
import { checkNodes } from "../nodes/nodes-network.js";
import { type NodeOptions, nodeRuntime, nodeSurroundings, type RuntimeParts } from "../nodes/start-nodes.js";
import { issueCertificate } from "../../machinery/crypto/issue-certificate.js";
import { keptOpen, openConnection, readConnection } from "../programs/connection.js";
import { processRandom, processTimers } from "../programs/surroundings.js";
import { nodeSections, parseTaint } from "./flags.js";

/** Simulated nodes for any API server. `version` is printed by --version. */
export const simulatedNodes = (program: string, version: string): Component => ({
  name: program,
  program,
  version,
  description:
    "Simulated nodes: they register with any API server and take the pods that are bound to them through their phases. Nothing of the machine runs in their containers.",
  sections: nodeSections,
  run,
});

const DAY = 86_400_000;
const RETRY_MS = 2000;
/** How many bits the addresses of a node's pods have in common. */
const NODE_MASK = 24;

async function run(flags: Flags, context: ComponentContext): Promise<void> {
  const { log, clock, signal } = context;
  const nodes = nodesOf(flags);
  checkNodes(nodes);
  const config = await readConnection(
    { kubeconfig: flags.string("kubeconfig"), master: flags.string("master"), userAgent: "kubelet" },
    context,
  );
  const given = await readFiles(flags, context);
  const transport = openConnection(config, context);
  const client = kubernetesClient({ transport: () => keptOpen(transport) }, { clock, timers: processTimers });
  const report = (error: unknown): void => log.error("kubelet/kubelet.go:1", "Unhandled Error", error);
  let fleet: StartedNodes | undefined;
  while (fleet === undefined && !signal.aborted) {
    try {
      const parts = { flags, client, config, transport, given, ...context, reportError: report };
      // A server that never answers does not keep the program from ending.
      fleet = await untilAborted(startNodes(nodes, parts), signal);
    } catch (error) {
      if (signal.aborted) break;
      log.error("kubelet/kubelet_node_status.go:107", "Unable to register node with API server", error);
      await pause(processTimers, RETRY_MS, signal);
    }
  }
  for (const { name } of fleet === undefined ? [] : nodes) {
    const at = `${flags.string("address")}:${fleet?.portOf(name)}`;
    log.structured("kubelet/kubelet_node_status.go:78", "Successfully registered node", { node: name, kubeletAPI: at });
  }
  await aborted(signal);
  await fleet?.stop();
  await client.close();
  await transport.close();
}

function nodesOf(flags: Flags): readonly NodeOptions[] {
  const named = flags.strings("node-names");
  const names = named.length > 0 ? named : Array.from({ length: flags.number("nodes") }, (_, at) => `node-${at + 1}`);
  const labels = Object.fromEntries(pairsOf(flags.strings("node-labels")));
  const capacity = Object.fromEntries(pairsOf(flags.strings("capacity")));
  const taints = flags.strings("register-with-taints").map(parseTaint);
  return names.map((name) => ({
    name,
    labels,
    taints,
    ...(flags.changed("capacity") && {
      capacity: { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110", ...capacity },
    }),
  }));
}

/** What files of the flags hold. */
interface GivenFiles extends Pick<RuntimeParts, "imageScripts" | "forwards"> {
  /** Undefined: the API server says it. */
  readonly clientCa: string | undefined;
  /** Undefined: each node signs its own. */
  readonly serving: Pick<KubeletTls, "certificate" | "key"> | undefined;
}

async function readFiles(flags: Flags, { cwd }: Pick<ComponentContext, "cwd">): Promise<GivenFiles> {
  const file = (name: string): string => (flags.string(name) === "" ? "" : resolve(cwd, flags.string(name)));
  const [certFile, keyFile, clientCaFile, scripts] = [
    file("tls-cert-file"),
    file("tls-private-key-file"),
    file("client-ca-file"),
    file("image-scripts"),
  ];
  if ((certFile === "") !== (keyFile === "")) {
    throw new Error("--tls-cert-file and --tls-private-key-file need each other");
  }
  const serving = certFile === "" ? undefined : { certificate: await readText(certFile), key: await readText(keyFile) };
  // Throws for what is no pair.
  if (serving !== undefined) readKeyPair(serving);
  const [forward, allow] = [flags.strings("forward").map(parseForward), flags.strings("allow-forward")];
  return {
    imageScripts: scripts === "" ? [] : await openImageScripts(scripts),
    forwards: forward.length + allow.length === 0 ? undefined : await openForwards(forward, allow),
    clientCa: clientCaFile === "" ? undefined : await readText(clientCaFile),
    serving,
  };
}

async function openForwards(
  forward: readonly ReturnType<typeof parseForward>[],
  allow: readonly string[],
): Promise<RuntimeParts["forwards"]> {
  const { PodForwards } = await import("../../node/scripted/network/pod-forwards.js");
  for (const one of allow) parseRange(one);
  return new PodForwards(forward, allow);
}

interface StartedNodes extends Pick<NodeFleet, "portOf"> {
  stop(): Promise<void>;
}

interface StartParts extends Pick<ComponentContext, "log" | "clock"> {
  readonly flags: Flags;
  readonly client: KubernetesClient;
  readonly config: ClientConfig;
  readonly transport: Transport;
  readonly given: GivenFiles;
  readonly reportError: (error: unknown) => void;
}

/** Registers the nodes. Rejects where the API server cannot be asked, or a port cannot be opened. */
async function startNodes(nodes: readonly NodeOptions[], parts: StartParts): Promise<StartedNodes> {
  const { flags, client, config, transport, given, clock, log, reportError } = parts;
  const ranges = await rangesOf(nodes, client, flags.string("pod-cidr"));
  const clientCa = given.clientCa ?? (await publishedAuthority(client));
  if (clientCa === "") {
    log.warn(
      "app/server.go:430",
      "the API server publishes no authority of clients, and --client-ca-file is not given: only callers with tokens reach logs, exec and port-forward",
    );
  }
  let started: NodeFleet | undefined;
  const isOwn = (host: string): boolean => {
    const comparable = comparableHost(host);
    return [...ranges.values()].some((range) => isAddressOf(range, comparable));
  };
  const runtimeParts: RuntimeParts = {
    transport: keptOpen(transport),
    clock,
    timers: processTimers,
    random: processRandom,
    standIn: flags.string("images") === "stand-in",
    imageScripts: given.imageScripts,
    forwards: given.forwards,
    reportError,
    network: { isOwn, dial: (host, port) => started?.dial(host, port), api: apiOf(config) },
  };
  const { stop: dropVolumes, ...surroundings } = nodeSurroundings(runtimeParts, {
    serviceCidr: flags.string("service-cidr"),
    dnsAddress: flags.string("cluster-dns"),
  });
  const host = flags.string("address");
  const port = flags.number("port");
  const described = nodes.map((node, index): NodeDescription => {
    const { name, labels, taints, capacity } = node;
    const random = forkRandom(processRandom, name);
    return {
      name,
      runtime: nodeRuntime(node, runtimeParts, random, surroundings),
      ...(labels && { labels }),
      ...(taints && { taints }),
      ...(capacity && { capacity }),
      podCidr: ranges.get(name) ?? "",
      socket: { host, port: port === 0 ? 0 : port + index },
      tls: () => ({ ...(given.serving ?? selfSigned(name, host, clock.now())), clientCa }),
    };
  });
  const fleet = { nodes: described, transport: keptOpen(transport), clock, timers: processTimers, reportError };
  try {
    started = await startNodeFleet({ ...fleet, random: processRandom });
  } catch (error) {
    await dropVolumes();
    throw error;
  }
  const running = started;
  return {
    portOf: (name) => running.portOf(name),
    async stop() {
      await running.stop();
      await dropVolumes();
    },
  };
}

/** The blocks of the nodes' pods: those that their Nodes have already, else ones that no Node has. */
async function rangesOf(
  nodes: readonly NodeOptions[],
  client: KubernetesClient,
  cidr: string,
): Promise<ReadonlyMap<string, string>> {
  const { items } = await client.of("v1", "Node").listWhole();
  const known = new Map(items.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.podCIDR ?? ""]));
  const taken = new Set([...known.values()].filter((range) => range !== ""));
  const ranges = new Map<string, string>();
  for (const { name } of nodes) {
    const own = known.get(name) ?? "";
    const range = parseIpv4Prefix(own) === undefined ? freeRange({ cidr, nodeMask: NODE_MASK }, taken, 0)?.cidr : own;
    if (range === undefined) throw new Error(`--pod-cidr ${cidr} has no block left for node ${JSON.stringify(name)}`);
    taken.add(range);
    ranges.set(name, range);
  }
  return ranges;
}

/** The authority of clients that an API server tells servers of aggregated APIs; "" where it has none. */
async function publishedAuthority(client: KubernetesClient): Promise<string> {
  try {
    const name = "extension-apiserver-authentication";
    const { data } = await client.of("v1", "ConfigMap").namespace("kube-system").get(name);
    return data?.["client-ca-file"] ?? "";
  } catch (error) {
    if (isNotFound(error)) return "";
    throw error;
  }
}

function selfSigned(node: string, host: string, now: number): Pick<KubeletTls, "certificate" | "key"> {
  return issueCertificate({
    commonName: `system:node:${node}`,
    organizations: ["system:nodes"],
    notBefore: now - DAY,
    notAfter: now + 365 * DAY,
    serial: processRandom.bytes(16),
    usage: "server",
    names: [...new Set([node, "localhost", host])],
  });
}

/** Where programs of pods find the API server. */
function apiOf({ server }: ClientConfig): { readonly host: string; readonly port: number } | undefined {
  const { protocol, hostname, port } = new URL(server);
  if (protocol !== "https:") return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 443 : Number(port) };
}
