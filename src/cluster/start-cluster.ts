import { type Clock, systemClock } from "../base/clock.js";
import { type Random, systemRandom } from "../base/random.js";
import type { Transport } from "../client/transport/transport.js";
import { type Controllers, startControllers } from "../controllers/manager.js";
import { staticTokens } from "../server/authn/bearer-token.js";
import { bootstrapObjects } from "../server/builtin/bootstrap.js";
import { builtinStrategy } from "../server/builtin/index.js";
import { createMissing, createOrAdjust } from "../server/generic/create-missing.js";
import type { Listener } from "../server/generic/secure-listener.js";
import type { StrategyLookup } from "../server/registry/strategy.js";
import { createServer, type Server } from "../server/generic/server.js";
import { createStorage } from "../server/storage/create-storage.js";
import type { Kv } from "../server/storage/kv.js";
import { kubeconfigText } from "./kubeconfig.js";
import { type ClusterPki, createClusterPki } from "./pki/cluster-pki.js";
import { recordRequests, type RequestRecord } from "./record-requests.js";
import { kubernetesService, systemNamespaces } from "./system-objects.js";

export type { RequestRecord } from "./record-requests.js";

export interface ClusterOptions {
  /** Of 127.0.0.1. 0, the default, takes a free one; false opens no socket, and only {@link Cluster.transport} reaches the server. */
  readonly port?: number | false;
  /** "memory", the default, forgets everything at close; "disk" keeps it in `dataDir`. */
  readonly storage?: "memory" | "disk";
  /** A folder of this cluster's own; made when it is missing. Needed for "disk". */
  readonly dataDir?: string;
  readonly clock?: Clock;
  /** Names, uids and secrets come from it. */
  readonly random?: Random;
  /** Sees every request from outside before it is handled. */
  readonly onRequest?: (request: RequestRecord) => void;
  /** Given faults of the server itself; clients are told "Internal error". */
  readonly onError?: (error: unknown) => void;
}

/** A running control plane. */
export interface Cluster extends AsyncDisposable {
  /** "https://127.0.0.1:34567"; "" without a socket. */
  readonly url: string;
  /** A kubeconfig (JSON) that reaches the cluster as its administrator. */
  kubeconfig(): string;
  /** PEM. */
  readonly caCertificate: string;
  /** A bearer token of the administrator. */
  readonly token: string;
  /** A client's end in this process, as the administrator unless a request brings an Authorization header. */
  transport(): Transport;
  /** Ends watches, finishes the writes that were accepted and lets go of port and folder. Idempotent. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const ADMIN = { commonName: "kubernetes-admin", organizations: ["system:masters"] };
const LOOPBACK = { commonName: "system:apiserver", organizations: ["system:masters"] };

/** Starts a cluster; when it resolves, the API answers and the system's namespaces are there. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, random = systemRandom } = options;
  const kv = await openKv(options, clock);
  try {
    const pki = await openPki(options, clock, random);
    return await start(options, { clock, random, kv, pki });
  } catch (error) {
    await kv.close();
    throw error;
  }
}

interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly kv: Kv;
  readonly pki: ClusterPki;
}

async function start(options: ClusterOptions, { clock, random, kv, pki }: Parts): Promise<Cluster> {
  let listener: Listener | undefined;
  let controllers: Controllers | undefined;
  const admin = { name: ADMIN.commonName, groups: ADMIN.organizations };
  const storage = createStorage({ kv, clock });
  const server = createServer({
    storage,
    strategies: furnishingNamespaces(builtinStrategy, () => controllers),
    clock,
    random,
    tokens: [staticTokens(new Map([[pki.token, admin]]))],
    serverAddress: () => (listener === undefined ? "" : `${HOST}:${listener.port}`),
    ...(options.onError && { reportError: options.onError }),
    filters: options.onRequest === undefined ? [] : [recordRequests(options.onRequest)],
  });
  const close = async () => {
    await controllers?.stop();
    await server.stop();
    await listener?.close();
    await storage.close();
  };
  try {
    await storage.ready();
    listener = await openSocket(options, server, pki);
    await createMissing(server.resources, systemNamespaces());
    const kubernetes = kubernetesService(HOST, listener?.port ?? 6443);
    await createOrAdjust(server.resources, kubernetes);
    await createMissing(server.resources, bootstrapObjects());
    controllers = startControllers({
      transport: server.transport(LOOPBACK),
      clock,
      caCertificate: pki.ca.certificate,
      kubernetesService: kubernetes[0],
      ...(options.onError && { reportError: options.onError }),
    });
    await controllers.settled;
  } catch (error) {
    await close();
    throw error;
  }
  const url = listener === undefined ? "" : `https://${HOST}:${listener.port}`;
  let closing: Promise<void> | undefined;
  return {
    url,
    kubeconfig: () => kubeconfigText("kubets", url, pki),
    caCertificate: pki.ca.certificate,
    token: pki.token,
    transport: () => server.transport(ADMIN),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

/**
 * A new namespace is answered when it has what every namespace has, so that the next request may count on its default
 * ServiceAccount.
 */
function furnishingNamespaces(strategies: StrategyLookup, controllers: () => Controllers | undefined): StrategyLookup {
  return (group, resource) => {
    const strategy = strategies(group, resource);
    if (group !== "" || resource !== "namespaces") return strategy;
    return { ...strategy, afterCreate: async ({ metadata }) => controllers()?.prepared(metadata?.name ?? "") };
  };
}

async function openKv(options: ClusterOptions, clock: Clock): Promise<Kv> {
  if (options.storage !== "disk") {
    const { openMemoryKv } = await import("../server/storage/memory/memory-kv.js");
    return openMemoryKv({ clock });
  }
  if (options.dataDir === undefined) throw new Error('storage "disk" needs a dataDir');
  const { openSqliteKv } = await import("../server/storage/sqlite/sqlite-kv.js");
  return openSqliteKv({ directory: options.dataDir, clock });
}

async function openPki(options: ClusterOptions, clock: Clock, random: Random): Promise<ClusterPki> {
  if (options.storage !== "disk" || options.dataDir === undefined) return createClusterPki(clock, random);
  const { loadOrCreatePki } = await import("./pki/stored-pki.js");
  return loadOrCreatePki(options.dataDir, clock, random);
}

async function openSocket(options: ClusterOptions, server: Server, pki: ClusterPki): Promise<Listener | undefined> {
  if (options.port === false) return undefined;
  const { listen } = await import("../server/generic/secure-listener.js");
  return listen({
    host: HOST,
    port: options.port ?? 0,
    tls: { certificate: pki.server.certificate, key: pki.server.key, clientCa: pki.ca.certificate },
    handle: (exchange) => server.handle(exchange),
    stopping: server.stopping,
  });
}
