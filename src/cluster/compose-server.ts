import { type RuntimeConfig, servesRetired, type TypeSource } from "../api/facts/index.js";
import { type Clock, systemClock } from "../base/clock.js";
import { ManualClock } from "../base/manual-clock.js";
import { once } from "../base/once.js";
import { publishedScheme } from "../api/scheme/published.js";
import { forkRandom, type Random, systemRandom } from "../base/random.js";
import { systemTimers, type Timers } from "../base/timers.js";
import { driveTurns } from "../base/turns.js";
import { surroundingsOf } from "../client/surroundings.js";
import type { Transport } from "../client/transport/transport.js";
import type { Scheme } from "../machinery/scheme/scheme.js";
import { type AdmissionOptions, enabledPlugins } from "../server/admission/enabled-plugins.js";
import type { ApiRegistry } from "../server/api-registry/api-registry.js";
import type { ResourceDefinition } from "../server/api-registry/resource-definition.js";
import type { Authenticator } from "../server/authn/authenticator.js";
import { staticTokens } from "../server/authn/bearer-token.js";
import type { Authorizer } from "../server/authz/authorizer.js";
import type { HealthCheck } from "../server/endpoints/non-resource/health.js";
import type { ResourceRecord } from "../server/endpoints/resource-record.js";
import type { OwnFilter } from "../server/filters/own-filter.js";
import { BootSequence } from "../server/generic/boot-sequence.js";
import type { Listener } from "../server/generic/secure-listener.js";
import { createServer, type Server } from "../server/generic/server.js";
import type { ClientIdentity, ClusterNetwork } from "../server/kubelet/cluster-network.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import type { Kv } from "../server/storage/kv.js";
import { closeDriven, type ClusterClock, clusterClock } from "./cluster-clock.js";
import { collectWhenIdle, v8Memory } from "./idle-memory.js";
import { kubeconfigText } from "./kubeconfig.js";
import { openKv, openStorage, type StorageOptions } from "./open-storage.js";
import { issueCertificate, issuerOf } from "./pki/certificate.js";
import { CA_NAME, type ClusterPki, createClusterPki } from "./pki/cluster-pki.js";
import { recordRequests, type RequestRecord } from "./record-requests.js";

/** What a server is made of beside the resources that it serves. */
export interface ServerOptions extends StorageOptions {
  /** Of 127.0.0.1. 0, the default, takes a free one; false opens no socket, and only {@link RunningServer.transport} reaches the server. */
  readonly port?: number | false;
  /** Resources beside the built-in ones. More can be installed while the server runs. */
  readonly resources?: readonly ResourceDefinition[];
  /** Say who a request comes from, after client certificates and before bearer tokens. */
  readonly authenticators?: readonly Authenticator[];
  /**
   * Say what a user may do; members of system:masters, as the administrator is, may do everything. Default: every user may do
   * everything.
   */
  readonly authorizers?: readonly Authorizer[];
  /**
   * Which admission plugins run, and plugins of the caller's own. Default: those that kube-apiserver runs by default, as far as
   * they are built.
   */
  readonly admission?: AdmissionOptions;
  /** Filters of the caller's own, each with its place among the server's. */
  readonly filters?: readonly OwnFilter[];
  /** Checks of /healthz, /livez and /readyz beside the server's own. */
  readonly healthChecks?: readonly HealthCheck[];
  readonly hooks?: Hooks;
  /**
   * Stamps objects and expires what expires. A manualClock() also drives every timer of the server and of what runs beside it: time
   * stands still until `clock.advance()`.
   */
  readonly clock?: Clock;
  /** Names, uids and secrets come from it. With seededRandom(), each run has the same. */
  readonly random?: Random;
  /** Sees every request from outside before it is handled. */
  readonly onRequest?: (request: RequestRecord) => void;
  /** The server calls it with its own faults, which clients see as "Internal error". */
  readonly onError?: (error: unknown) => void;
}

export interface Hooks {
  /**
   * Run one after the other before the server serves. Each is a health check, "poststarthook/<name>". One that throws keeps
   * the server from starting.
   */
  readonly postStart?: readonly Hook[];
  /** Run one after the other when the server stops, while it still serves. One that throws is reported. */
  readonly preShutdown?: readonly Hook[];
}

export interface Hook {
  readonly name: string;
  run(server: HookContext): void | Promise<void>;
}

export interface HookContext {
  /** A client's end in this process, as the server itself; it is answered before the server is ready and while it stops. */
  readonly transport: Transport;
  readonly registry: ApiRegistry;
}

/** A running API server. */
export interface RunningServer extends AsyncDisposable {
  /** "https://127.0.0.1:34567"; "" without a socket. */
  readonly url: string;
  /** A kubeconfig (JSON) that reaches the server as its administrator. */
  kubeconfig(): string;
  /** PEM. */
  readonly caCertificate: string;
  /** A bearer token of the administrator. */
  readonly token: string;
  /** Drives the server's time; there when it was started with a manualClock(). */
  readonly clock?: ClusterClock;
  /** The resources that are served; more can be installed, and any removed, while the server runs. */
  readonly registry: ApiRegistry;
  /** A client's end in this process, as the administrator unless a request brings an Authorization header. */
  transport(): Transport;
  /** Ends watches, finishes the writes that were accepted and lets go of port and folder. Idempotent. */
  close(): Promise<void>;
}

/** Where a server listens unless its composition says otherwise. */
export const HOST = "127.0.0.1";
const ADMIN = { commonName: "kubernetes-admin", organizations: ["system:masters"] };
/** kube-apiserver's name for the first step. */
const STORAGE_STEP = "storage-readiness";

/** A step of a composition between opening the port and serving. */
export interface BootStep {
  readonly name: string;
  run(server: Server, listener: Listener | undefined): void | Promise<void>;
}

/** What the steps of a composition may use. */
export interface CompositionParts {
  readonly pki: ClusterPki;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly reportError: (error: unknown) => void;
}

/** The address and the secrets of a server that does not make its own. */
export interface GivenServing {
  /** The address that the socket is opened on. */
  readonly host: string;
  readonly pki: ClusterPki;
}

/** What differs between an API server and a whole control plane. */
export interface Composition {
  /** Left out: {@link HOST}, and secrets that the server makes or keeps in its data folder. */
  readonly serving?: GivenServing | undefined;
  readonly runtimeConfig: RuntimeConfig;
  readonly records: readonly ResourceRecord[];
  /** Issues service account tokens; absent where there are no service accounts. */
  readonly serviceAccounts?: (pki: ClusterPki) => TokenIssuer;
  /** How the server reaches nodes of this process; see {@link ClusterNetwork}. */
  readonly network?: Pick<ClusterNetwork, "dial">;
  /** The steps after the storage is ready. */
  readonly steps: (parts: CompositionParts) => readonly BootStep[];
  readonly preShutdown?: () => Promise<void> | undefined;
}

/**
 * The one composition root of servers: opens storage, certificates and port, and runs the steps. Rejects before anything is
 * opened for options that cannot be right.
 */
export async function composeServer(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom } = options;
  enabledPlugins(options.admission ?? {});
  const manual = clock instanceof ManualClock ? clock : undefined;
  const timers = manual ?? systemTimers;
  const release = manual === undefined ? () => {} : driveTurns();
  try {
    const kv = await openKv(options, clock, timers);
    try {
      const pki = composition.serving?.pki ?? (await openPki(options, clock, random));
      return await start(options, composition, { clock, manual, timers, random, kv, pki, release });
    } catch (error) {
      await kv.close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

interface Parts {
  readonly clock: Clock;
  /** The clock, where it can be driven. */
  readonly manual: ManualClock | undefined;
  readonly timers: Timers;
  readonly random: Random;
  /** To be called when nothing runs any more. */
  readonly release: () => void;
  readonly kv: Kv;
  readonly pki: ClusterPki;
}

/** The certificate that the server shows to kubelets, made for the first of them. */
function kubeletClient({ ca }: ClusterPki, clock: Clock): () => ClientIdentity {
  const times = [clock.now(), systemClock.now()];
  return once(() =>
    issueCertificate(
      {
        commonName: "kube-apiserver-kubelet-client",
        organizations: ["system:masters"],
        notBefore: Math.min(...times) - DAY,
        notAfter: Math.max(...times) + 3650 * DAY,
        serial: systemRandom.bytes(16),
        usage: "client",
      },
      issuerOf(ca, CA_NAME),
    ),
  );
}

const DAY = 86_400_000;

/** The kinds that a server must know. Those that 1.36 has removed are loaded only for a server that serves or may find some. */
async function knownKinds(
  runtimeConfig: RuntimeConfig,
  foreign: boolean,
): Promise<{ readonly scheme: Scheme; readonly types?: TypeSource }> {
  const serves = servesRetired(runtimeConfig);
  if (!foreign && !serves) return { scheme: publishedScheme() };
  const { allScheme } = await import("../api/scheme/all.js");
  if (!serves) return { scheme: allScheme() };
  const { allDefinitions } = await import("../api/facts/unpublished.js");
  return { scheme: allScheme(), types: allDefinitions };
}

async function start(options: ServerOptions, composition: Composition, parts: Parts): Promise<RunningServer> {
  const { clock, manual, timers, random, kv, pki, release } = parts;
  const host = composition.serving?.host ?? HOST;
  const { hooks = {}, onError: reportError = () => {} } = options;
  let listener: Listener | undefined;
  const { storage, foreign } = await openStorage(kv, options, clock, timers);
  const idle = collectWhenIdle(v8Memory, systemTimers);
  const steps = [
    ...composition.steps({ pki, clock, timers, random, reportError }),
    ...(hooks.postStart ?? []).map(stepOf),
  ];
  const boot = new BootSequence([STORAGE_STEP, ...steps.map(({ name }) => name)]);
  const server = createServer({
    storage,
    boot,
    runtimeConfig: composition.runtimeConfig,
    records: composition.records,
    ...(await knownKinds(composition.runtimeConfig, foreign)),
    clock,
    random,
    requestRandom: forkRandom(random, "requests"),
    ...(manual && { timers }),
    env: surroundingsOf({}).env,
    tokens: [staticTokens(new Map([[pki.token, { name: ADMIN.commonName, groups: ADMIN.organizations }]]))],
    ...(composition.serviceAccounts && { serviceAccounts: composition.serviceAccounts(pki) }),
    // An authority whose key the server is not given signs nothing.
    network: { ...(pki.ca.key !== "" && { kubeletClient: kubeletClient(pki, clock) }), ...composition.network },
    serverAddress: () => (listener === undefined ? "" : authority(host, listener.port)),
    reportError,
    outermost: [idle.filter, ...(options.onRequest === undefined ? [] : [recordRequests(options.onRequest)])],
    ...ofCaller(options),
  });
  const preShutdown = async (): Promise<void> => {
    for (const hook of hooks.preShutdown ?? []) {
      try {
        await hook.run(contextOf(server));
      } catch (error) {
        reportError(error);
      }
    }
    await composition.preShutdown?.();
  };
  const close = async () => {
    idle.stop();
    await server.stop(preShutdown);
    await listener?.close();
    await storage.close();
    release();
  };
  try {
    // The port first: it may be taken, and from now on probes can ask how far the server is.
    listener = await openSocket(options, host, server, pki);
    await boot.run(STORAGE_STEP, () => storage.ready());
    for (const step of steps) await boot.run(step.name, async () => step.run(server, listener));
  } catch (error) {
    await close();
    throw error;
  }
  const url = listener === undefined ? "" : `https://${authority(host, listener.port)}`;
  let closing: Promise<void> | undefined;
  const closeOnce = () => (closing ??= manual === undefined ? close() : closeDriven(manual, close()));
  return {
    ...(manual && { clock: clusterClock(manual) }),
    url,
    kubeconfig: () => kubeconfigText("kubets", url, pki),
    caCertificate: pki.ca.certificate,
    token: pki.token,
    registry: server.registry,
    transport: () => server.transport(ADMIN),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** The options that the server takes as they are. */
function ofCaller({
  storageMediaType,
  resources,
  authenticators,
  authorizers,
  admission,
  filters,
  healthChecks,
}: ServerOptions) {
  return {
    ...(storageMediaType && { storageMediaType }),
    ...(resources && { resources }),
    ...(authenticators && { authenticators }),
    ...(authorizers && { authorizers }),
    ...(admission && { admission }),
    ...(filters && { filters }),
    ...(healthChecks && { healthChecks }),
  };
}

const contextOf = (server: Server): HookContext => ({ transport: server.loopback(), registry: server.registry });

const stepOf = (hook: Hook): BootStep => ({ name: hook.name, run: (server) => hook.run(contextOf(server)) });

async function openPki(options: ServerOptions, clock: Clock, random: Random): Promise<ClusterPki> {
  const { storage = "memory", dataDir } = options;
  // Where no process verifies a certificate, the cluster's clock is the only one.
  const verifierClock = options.port === false ? clock : systemClock;
  if (storage === "memory" || dataDir === undefined) return createClusterPki(clock, random, verifierClock);
  const { loadOrCreatePki } = await import("./pki/stored-pki.js");
  return loadOrCreatePki(dataDir, () => createClusterPki(clock, random, systemClock));
}

/** "127.0.0.1:6443", "[::1]:6443". */
const authority = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

async function openSocket(
  options: ServerOptions,
  host: string,
  server: Server,
  pki: ClusterPki,
): Promise<Listener | undefined> {
  if (options.port === false) return undefined;
  const { listen } = await import("../server/generic/secure-listener.js");
  return listen({
    host,
    port: options.port ?? 0,
    tls: { certificate: pki.server.certificate, key: pki.server.key, clientCa: pki.ca.certificate },
    handle: (exchange) => server.handle(exchange),
    stopping: server.stopping,
  });
}
