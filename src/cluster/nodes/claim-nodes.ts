import type { Lease } from "../../api/types/coordination/v1.js";
import type { Node, Taint } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { inParallel } from "../../base/async/in-parallel.js";
import { type Ipv4Prefix, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import type { Random } from "../../base/numbers/random.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatMicroTime, formatTime } from "../../machinery/meta/time.js";
import { LEASE_SECONDS, newNode } from "../../node/agent/node-registration.js";
import { MOST_RANGES, podCidr } from "./nodes-network.js";
import { removeNode } from "./remove-node.js";
import { AUTHORITY_ANNOTATION, SERVER_LABEL } from "./server-nodes.js";
import { ServerNameError } from "../server-name.js";

/** A node that a server is about to run. */
export interface WantedNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

export interface ClaimParts {
  /** The name of the server. */
  readonly server: string;
  /** The fingerprint of its authority. */
  readonly authority: string;
  /** As a user who may write nodes. */
  readonly client: Pick<KubernetesClient, "of">;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the server that runs a Node answers where the Node says. */
  readonly answers: (node: Node) => Promise<boolean>;
}

/** How many requests are under way at a time. */
const REQUESTS = 16;

/** The label and the annotation that mark a Node as a server's. */
export const marksOf = ({ server, authority }: Pick<ClaimParts, "server" | "authority">) => ({
  labels: { [SERVER_LABEL]: server },
  annotations: { [AUTHORITY_ANNOTATION]: authority },
});

/**
 * Creates or takes over the Nodes of a server on a shared storage, and resolves with the block of pod addresses of each, which no
 * other Node of the storage has. Nodes that the server had before and has no longer are removed with their pods. Throws a
 * ServerNameError, and changes nothing, where another live server has a Node with one of the names, or this server's name. Nodes
 * of an earlier run of this server are taken over at once: that run was killed.
 */
export async function claimNodes(
  wanted: readonly WantedNode[],
  parts: ClaimParts,
): Promise<ReadonlyMap<string, string>> {
  const { server, client } = parts;
  const nodes = client.of("v1", "Node");
  const { items } = await nodes.listWhole();
  const names = new Set(wanted.map(({ name }) => name));
  const own = items.filter((node) => serverOf(node) === server);
  await refuseDouble(own, parts);
  for (const dead of await deadAmong(
    items.filter((node) => names.has(nameOf(node)) && serverOf(node) !== server),
    parts,
  )) {
    // Another server was faster with the same node: whether it lives is asked anew.
    if (!(await takeOver(dead, parts))) return claimNodes(wanted, parts);
  }
  await inParallel(
    own.filter((node) => !names.has(nameOf(node))),
    REQUESTS,
    (node) => removeNode(node, parts),
  );
  await inParallel(
    own.filter((node) => names.has(nameOf(node))),
    REQUESTS,
    (node) => nodes.patch(nameOf(node), { metadata: marksOf(parts) }, { type: "merge" }),
  );
  return giveRanges(wanted, parts);
}

interface Held {
  readonly node: Node;
  readonly lease: Lease | undefined;
}

/** Nodes of other servers with their Leases. Throws where one of these servers lives. */
async function deadAmong(foreign: readonly Node[], { client, clock }: ClaimParts): Promise<readonly Held[]> {
  if (foreign.length === 0) return [];
  const leases = await leasesOf(client);
  return foreign.map((node) => {
    const lease = leases.get(nameOf(node));
    const until = aliveUntil(node, lease);
    if (until <= clock.now()) return { node, lease };
    const holder = serverOf(node);
    const whose = holder === "" ? "another program" : `server ${JSON.stringify(holder)}`;
    throw new ServerNameError(
      `node ${JSON.stringify(nameOf(node))} is held by ${whose}, whose Lease lasts until ${formatTime(until)}; give this server's node another name, or stop the other and wait until then`,
    );
  });
}

/**
 * Renews the Lease of a dead server's Node, which one server alone can do in that version of the Lease, and marks the Node as this server's. False
 * where another was faster.
 */
async function takeOver({ node, lease }: Held, parts: ClaimParts): Promise<boolean> {
  const { client, clock } = parts;
  const name = nameOf(node);
  const leases = client.of("coordination.k8s.io/v1", "Lease").namespace("kube-node-lease");
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: formatMicroTime(clock.now()) };
  const owner = { apiVersion: "v1", kind: "Node", name, uid: node.metadata?.uid ?? "" };
  try {
    if (lease === undefined) await leases.create({ metadata: { name, ownerReferences: [owner] }, spec });
    else {
      const { resourceVersion = "" } = lease.metadata ?? {};
      await leases.patch(name, { metadata: { resourceVersion }, spec }, { type: "merge" });
    }
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
  await client.of("v1", "Node").patch(name, { metadata: marksOf(parts) }, { type: "merge" });
  return true;
}

/** Throws for another server of the same name that runs: one that was killed does not answer, although its Leases have not ended. */
async function refuseDouble(own: readonly Node[], { server, client, clock, answers }: ClaimParts): Promise<void> {
  if (own.length === 0) return;
  const leases = await leasesOf(client);
  const alive = own.find((node) => aliveUntil(node, leases.get(nameOf(node))) > clock.now());
  if (alive === undefined || !(await answers(alive))) return;
  throw new ServerNameError(
    `another server of the name ${JSON.stringify(server)} runs node ${JSON.stringify(nameOf(alive))}; give this server another name`,
  );
}

/** The Leases of nodes, by their names. */
export async function leasesOf(client: ClaimParts["client"]): Promise<ReadonlyMap<string, Lease>> {
  const { items } = await client.of("coordination.k8s.io/v1", "Lease").namespace("kube-node-lease").listWhole();
  return new Map(items.map((lease) => [lease.metadata?.name ?? "", lease]));
}

/**
 * The time until which a kubelet counts as running a Node, in milliseconds since the epoch: the end of the Node's Lease or, for a
 * new Node without one, the duration of a Lease from its creation.
 */
export function aliveUntil({ metadata }: Node, lease: Lease | undefined): number {
  const { renewTime = "", leaseDurationSeconds = LEASE_SECONDS } = lease?.spec ?? {};
  const since = Date.parse(renewTime === "" ? (metadata?.creationTimestamp ?? "") : renewTime);
  return Number.isNaN(since) ? 0 : since + leaseDurationSeconds * 1000;
}

/**
 * Creates the Nodes that are missing and gives a block of addresses to each that has none of its own. Two servers may give the same
 * block at the same time: each server reads all Nodes again when it has written its own, and takes back a block that another Node has too.
 * The kubelet of such a Node runs nothing yet.
 */
async function giveRanges(wanted: readonly WantedNode[], parts: ClaimParts): Promise<ReadonlyMap<string, string>> {
  const nodes = parts.client.of("v1", "Node");
  for (let start = 0; ; start = randomStart(parts.random)) {
    const { items } = await nodes.listWhole();
    const known = new Map(items.map((node) => [nameOf(node), node]));
    const doubles = doublesAmong(wanted, items);
    await inParallel(doubles, REQUESTS, (node) => remove(node, parts));
    for (const node of doubles) known.delete(nameOf(node));
    const missing = wanted.filter(({ name }) => rangesOf(known.get(name)).length === 0);
    if (missing.length === 0) return new Map(wanted.map(({ name }) => [name, rangesOf(known.get(name))[0] ?? ""]));
    const free = freeRanges([...known.values()].flatMap(rangesOf), start);
    await inParallel(missing, REQUESTS, async (node) => {
      const { value: range = "" } = free.next();
      if (range === "") throw new Error("no range of pod addresses is left for another node");
      await place(node, range, known.has(node.name), parts);
    });
  }
}

/**
 * Checks a Node that was deleted while its server ran and was created again. If another Node has its address block by now, it
 * removes the Node and rejects.
 */
export async function giveUpDouble(name: string, { client }: Pick<ClaimParts, "client">): Promise<void> {
  const { items } = await client.of("v1", "Node").listWhole();
  const [double] = doublesAmong([{ name }], items);
  if (double === undefined) return;
  await remove(double, { client });
  throw new Error(
    `node ${JSON.stringify(name)} was deleted, and another node has its pods' addresses now: start the server again, or delete that node`,
  );
}

async function place(
  { name, labels = {}, taints = [] }: WantedNode,
  range: string,
  exists: boolean,
  parts: ClaimParts,
): Promise<void> {
  const nodes = parts.client.of("v1", "Node");
  const marks = marksOf(parts);
  if (exists) {
    await nodes.patch(name, { spec: { podCIDR: range, podCIDRs: [range] } }, { type: "merge" });
    return;
  }
  const node = newNode({ name, podCidr: range, taints, ...marks, labels: { ...labels, ...marks.labels } });
  try {
    await nodes.create(node);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Another server was faster with the same name.
    const found = await nodes.get(name);
    if (serverOf(found) !== parts.server) await deadAmong([found], parts);
  }
}

/** Those of the wanted nodes whose block shares addresses with another Node's. */
function doublesAmong(wanted: readonly WantedNode[], all: readonly Node[]): readonly Node[] {
  const names = new Set(wanted.map(({ name }) => name));
  const sorted = all
    .flatMap((node) => rangesOf(node).flatMap((range) => ({ node, block: parseIpv4Prefix(range) })))
    .filter((one): one is { node: Node; block: Ipv4Prefix } => one.block !== undefined)
    .toSorted((a, b) => a.block.network - b.block.network);
  const found = new Set<Node>();
  let last: (typeof sorted)[number] | undefined;
  for (const one of sorted) {
    if (last !== undefined && one.block.network <= last.block.broadcast) {
      found.add(one.node);
      found.add(last.node);
    }
    if (last === undefined || one.block.broadcast > last.block.broadcast) last = one;
  }
  return [...found].filter((node) => names.has(nameOf(node)));
}

/** The blocks that share no address with `taken`, from the one of index `start` on and around. */
function* freeRanges(taken: readonly string[], start: number): Generator<string, undefined, undefined> {
  const blocks = taken.flatMap((one) => parseIpv4Prefix(one) ?? []);
  const used = new Set(blocks.filter(isOfNode).map(({ network }) => network));
  const others = blocks.filter((block) => !isOfNode(block));
  for (let step = 0; step < MOST_RANGES; step++) {
    const range = podCidr((start + step) % MOST_RANGES);
    const block = parseIpv4Prefix(range);
    if (block === undefined || used.has(block.network)) continue;
    if (!others.some(({ network, broadcast }) => network <= block.broadcast && broadcast >= block.network)) yield range;
  }
  return undefined;
}

const isOfNode = ({ network, broadcast }: Ipv4Prefix): boolean => broadcast - network === 255;

const randomStart = (random: Random): number => random.bytes(1)[0] ?? 0;

async function remove(node: Node, { client }: Pick<ClaimParts, "client">): Promise<void> {
  const { uid } = node.metadata ?? {};
  try {
    await client.of("v1", "Node").delete(nameOf(node), { ...(uid !== undefined && { preconditions: { uid } }) });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

const nameOf = ({ metadata }: Node): string => metadata?.name ?? "";
const serverOf = ({ metadata }: Node): string => metadata?.labels?.[SERVER_LABEL] ?? "";
const rangesOf = (node: Node | undefined): readonly string[] =>
  node?.spec?.podCIDRs ?? (node?.spec?.podCIDR === undefined ? [] : [node.spec.podCIDR]);
