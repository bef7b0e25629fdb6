import { createPrivateKey } from "node:crypto";
import { type ControllerName, enabledControllers } from "../api/controllers/index.js";
import { type RuntimeConfig, servedResources } from "../api/facts/index.js";
import { publishedScheme, SCHEMA_EPOCH } from "../api/scheme/published.js";
import { type Clock, systemClock } from "../base/clock.js";
import { type Random, systemRandom } from "../base/random.js";
import { systemTimers } from "../base/timers.js";
import type { Transport } from "../client/transport/transport.js";
import type { SignClient } from "../controllers/certificates/certificate-signer.js";
import { type Controllers, startControllers } from "../controllers/manager.js";
import { signingKey } from "../machinery/jwt/jws.js";
import { type AdmissionOptions, enabledPlugins } from "../server/admission/enabled-plugins.js";
import { staticTokens } from "../server/authn/bearer-token.js";
import { bootstrapObjects } from "../server/builtin/bootstrap.js";
import { nodePortRegistry } from "../server/builtin/core/node-port-registry.js";
import { builtinRecord, builtinRecords } from "../server/builtin/index.js";
import { recordId, type ResourceRecord } from "../server/endpoints/resource-record.js";
import type { StorageMediaType } from "../server/endpoints/serializers/serializer.js";
import { formerKeyPrefix, keyPrefix } from "../server/api-registry/key-prefix.js";
import { BootSequence } from "../server/generic/boot-sequence.js";
import { createMissing, createOrAdjust } from "../server/generic/create-missing.js";
import type { Listener } from "../server/generic/secure-listener.js";
import { createServer, type Server } from "../server/generic/server.js";
import { claimSchemaEpoch } from "../server/storage/schema-epochs.js";
import { moveKeys } from "../server/storage/move-keys.js";
import { createStorage } from "../server/storage/create-storage.js";
import type { Strategy } from "../server/registry/strategy.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import type { Kv } from "../server/storage/kv.js";
import { collectWhenIdle, v8Memory } from "./idle-memory.js";
import { kubeconfigText } from "./kubeconfig.js";
import { CA_NAME, type ClusterPki, createClusterPki } from "./pki/cluster-pki.js";
import { recordRequests, type RequestRecord } from "./record-requests.js";
import { defaultServiceCidr, kubernetesService, systemNamespaces } from "./system-objects.js";

export type { RequestRecord } from "./record-requests.js";

export interface ClusterOptions {
  /** Of 127.0.0.1. 0, the default, takes a free one; false opens no socket, and only {@link Cluster.transport} reaches the server. */
  readonly port?: number | false;
  /** "memory", the default, forgets everything at close; "disk" keeps it in `dataDir`; "etcd" where {@link etcd} says. */
  readonly storage?: "memory" | "disk" | "etcd";
  /**
   * Made when it is missing. Certificates and, for "disk", objects are kept here: a folder of this cluster's own. Servers
   * that share an etcd share this folder too, or each of them publishes another CA.
   */
  readonly dataDir?: string;
  /**
   * As kube-apiserver's --storage-media-type: the form that objects are stored in. Objects in the other form are read, and
   * stored in this one when they change. Default "application/json".
   */
  readonly storageMediaType?: StorageMediaType;
  /** Needed for "etcd". */
  readonly etcd?: EtcdConnection | undefined;
  /**
   * As kube-apiserver's --runtime-config: "resource.k8s.io/v1beta1", "api/beta" or "api/all" to on or off. By default the
   * stable versions are served.
   */
  readonly runtimeConfig?: RuntimeConfig;
  /**
   * Which controllers run, as kube-controller-manager's --controllers: "*" all, "name" that one, "-name" not that one; a list
   * without "*" runs what it names and nothing else. False: none, for suites that bring their own; what Kubernetes has
   * inside kube-apiserver runs all the same. Default ["*"].
   */
  readonly controllers?: false | readonly string[];
  /**
   * Which admission plugins run, and plugins of the caller's own. Default: those that kube-apiserver runs by default, as far as
   * they are built. With own plugins, very long bodies are read in the same thread as all others.
   */
  readonly admission?: AdmissionOptions;
  /** False: every read asks the storage, as kube-apiserver's --watch-cache=false. Default true. */
  readonly watchCache?: boolean;
  readonly clock?: Clock;
  /** Names, uids and secrets come from it. */
  readonly random?: Random;
  /** Sees every request from outside before it is handled. */
  readonly onRequest?: (request: RequestRecord) => void;
  /** Given faults of the server itself; clients are told "Internal error". */
  readonly onError?: (error: unknown) => void;
}

/** Where an etcd 3.4 or later is, and how to reach it; the flags of kube-apiserver that begin with --etcd. */
export interface EtcdConnection {
  /** "http://127.0.0.1:2379", "https://..."; several of one etcd cluster. */
  readonly servers: readonly string[];
  /** Keys begin with it. Default "/registry". */
  readonly prefix?: string;
  /** PEM files. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
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

/** What is done before the API is served, by the names kube-apiserver has for it where it does the same. */
const BOOT_STEPS = {
  storage: "storage-readiness",
  namespaces: "start-system-namespaces-controller",
  serviceCidr: "start-kubernetes-service-cidr-controller",
  service: "bootstrap-controller",
  bootstrap: "rbac/bootstrap-roles",
  controllers: "start-controllers",
} as const;

/**
 * Starts a cluster; when it resolves, the API answers and the system's namespaces are there. Rejects before anything is opened
 * for a controller or an admission plugin that there is none of.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, random = systemRandom, controllers = ["*"] } = options;
  const enabled = enabledControllers(controllers === false ? [] : controllers);
  enabledPlugins(options.admission ?? {});
  const kv = await openKv(options, clock);
  try {
    const pki = await openPki(options, clock, random);
    return await start(options, { clock, random, kv, pki, enabled });
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
  readonly enabled: ReadonlySet<ControllerName>;
}

async function start(options: ClusterOptions, { clock, random, kv, pki, enabled }: Parts): Promise<Cluster> {
  let listener: Listener | undefined;
  let controllers: Controllers | undefined;
  const admin = { name: ADMIN.commonName, groups: ADMIN.organizations };
  const { watchCache = true, runtimeConfig = {}, admission = {}, storageMediaType = "application/json" } = options;
  const upgrades = !(await claimSchemaEpoch(kv, schemaEpoch(storageMediaType)));
  if (upgrades) await moveFormerKeys(kv);
  // A store that other programs can write to may hold versions that are served no longer.
  const foreign = upgrades || options.storage === "etcd" || storageMediaType !== "application/json";
  const storage = createStorage({ kv, clock, watchCache, upgrades });
  const reportError = options.onError ?? (() => {});
  const idle = collectWhenIdle(v8Memory, systemTimers);
  const boot = new BootSequence(Object.values(BOOT_STEPS));
  const server = createServer({
    storage,
    boot,
    runtimeConfig,
    storageMediaType,
    scheme: foreign ? (await import("../api/scheme/all.js")).allScheme() : publishedScheme(),
    admission,
    records: furnishingNamespaces(builtinRecords, () => controllers),
    clock,
    random,
    requestRandom: systemRandom,
    tokens: [staticTokens(new Map([[pki.token, admin]]))],
    serviceAccounts: tokenIssuer(pki),
    serverAddress: () => (listener === undefined ? "" : `${HOST}:${listener.port}`),
    reportError,
    filters: [idle.filter, ...(options.onRequest === undefined ? [] : [recordRequests(options.onRequest)])],
  });
  const close = async () => {
    idle.stop();
    await server.stop(async () => controllers?.stop());
    await listener?.close();
    await storage.close();
  };
  try {
    // The port first: it may be taken, and from now on probes can ask how far the server is.
    listener = await openSocket(options, server, pki);
    const kubernetes = kubernetesService(HOST, listener?.port ?? 6443);
    await boot.run(BOOT_STEPS.storage, () => storage.ready());
    await boot.run(BOOT_STEPS.namespaces, () => createMissing(server.registry.current, systemNamespaces()));
    await boot.run(BOOT_STEPS.serviceCidr, () => createMissing(server.registry.current, [defaultServiceCidr()]));
    await boot.run(BOOT_STEPS.service, () => createOrAdjust(server.registry.current, kubernetes));
    await boot.run(BOOT_STEPS.bootstrap, () => createMissing(server.registry.current, bootstrapObjects(runtimeConfig)));
    await boot.run(BOOT_STEPS.controllers, () => {
      controllers = startControllers({
        enabled,
        transport: server.loopback(),
        clock,
        caCertificate: pki.ca.certificate,
        kubernetesService: kubernetes[0],
        serviceCidr: defaultServiceCidr(),
        nodePorts: nodePortRegistry(server.registry),
        signClient: clientSigner(pki, random),
        reportError,
        onApiChange: (listener) => server.registry.onChange(listener),
      });
      return controllers.settled;
    });
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

/** A server that stores JSON must know of a store that holds protobuf: it may need schemas that it has no other use for. */
const schemaEpoch = (mediaType: StorageMediaType): string =>
  mediaType === "application/json" ? SCHEMA_EPOCH : `${SCHEMA_EPOCH}-protobuf`;

/** Stores of earlier versions of kubets have other keys than kube-apiserver's. */
async function moveFormerKeys(kv: Kv): Promise<void> {
  const resources = servedResources({ "api/all": true });
  const moves = new Map(
    resources.map((resource) => [
      formerKeyPrefix(resource),
      keyPrefix(resource, builtinRecord(resource.group, resource.name)?.storage),
    ]),
  );
  for (const [from, to] of moves) if (from !== to) await moveKeys(kv, from, to);
}

function clientSigner({ ca }: ClusterPki, random: Random): SignClient {
  return async (request, validity) => {
    const [{ signClientRequest }, { issuerOf }] = await Promise.all([
      import("./pki/sign-request.js"),
      import("./pki/certificate.js"),
    ]);
    return signClientRequest(request, { ...validity, serial: random.bytes(16) }, issuerOf(ca, CA_NAME));
  };
}

const ISSUER = "https://kubernetes.default.svc.cluster.local";

function tokenIssuer({ serviceAccountKey }: ClusterPki): TokenIssuer {
  return { url: ISSUER, audiences: [ISSUER], key: signingKey(createPrivateKey(serviceAccountKey)) };
}

/**
 * A new namespace is answered when it has what every namespace has, so that the next request may count on its default
 * ServiceAccount.
 */
function furnishingNamespaces(
  records: readonly ResourceRecord[],
  controllers: () => Controllers | undefined,
): readonly ResourceRecord[] {
  const afterCreate: Strategy["afterCreate"] = async ({ metadata }) => controllers()?.prepared(metadata?.name ?? "");
  return records.map((record) =>
    recordId(record) === "/namespaces" ? { ...record, strategy: { ...record.strategy, afterCreate } } : record,
  );
}

async function openKv({ storage = "memory", dataDir, etcd }: ClusterOptions, clock: Clock): Promise<Kv> {
  switch (storage) {
    case "memory": {
      const { openMemoryKv } = await import("../server/storage/memory/memory-kv.js");
      return openMemoryKv({ clock });
    }
    case "disk": {
      if (dataDir === undefined) throw new Error('storage "disk" needs a dataDir');
      const { openSqliteKv } = await import("../server/storage/sqlite/sqlite-kv.js");
      return openSqliteKv({ directory: dataDir, clock });
    }
    case "etcd": {
      if (etcd === undefined) throw new Error('storage "etcd" needs the option etcd');
      const { openEtcdKv } = await import("../server/storage/etcd/etcd-kv.js");
      const { servers, ...rest } = etcd;
      // Without the cluster's clock: etcd's leases expire by the time of its own machine.
      return openEtcdKv({ endpoints: servers, ...rest });
    }
  }
}

async function openPki(options: ClusterOptions, clock: Clock, random: Random): Promise<ClusterPki> {
  const { storage = "memory", dataDir } = options;
  if (storage === "memory" || dataDir === undefined) return createClusterPki(clock, random, systemClock);
  const { loadOrCreatePki } = await import("./pki/stored-pki.js");
  return loadOrCreatePki(dataDir, () => createClusterPki(clock, random, systemClock));
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
