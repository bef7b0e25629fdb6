import type { ServerTraits } from "../../api/gates/feature-gates.js";
import { type Release, type RuntimeConfig, servesRetired, type TypeSource } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import { inOrder, turn } from "../../base/async/turns.js";
import { systemClock } from "../../base/time/clock.js";
import { forkRandom, systemRandom } from "../../base/numbers/random.js";
import { stopwatchOf, systemTimers } from "../../base/time/timers.js";
import { surroundingsOf } from "../../client/surroundings.js";
import { staticTokens } from "../../server/authn/token-file.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import { BootSequence } from "../../server/generic/boot-sequence.js";
import type { OpenedAudit } from "../../server/audit/open-audit.js";
import { createServer, type Server } from "../../server/generic/server.js";
import type { ServerConfig } from "../../server/generic/server-config.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { Filter } from "../../server/request/api-request.js";
import { hostsOf } from "../../server/kubelet/cluster-network.js";
import { measuredKv } from "../../server/metrics/measured-kv.js";
import { Measuring } from "../../server/metrics/measures.js";
import type { Storage } from "../../server/storage/create-storage.js";
import type { BootStep, Composition, CompositionParts } from "../composition.js";
import type { OpenedEncryption } from "../encryption/open-encryption.js";
import type { OpenedManifests } from "../admission-manifests/open-manifests.js";
import type { Egress } from "../egress/open-egress.js";
import { collectWhenIdle, v8Memory } from "../idle-memory.js";
import { openKv, openStorage } from "../open-storage.js";
import { DELETES_UNREADABLE, type HookContext, ofCaller, type ServerOptions } from "../options/server-options.js";
import { authority } from "../open-socket.js";
import { Monitoring } from "../monitoring/monitoring.js";
import { StoredResources } from "../monitoring/stored-resources.js";
import type { ClusterPki } from "../pki/cluster-pki.js";
import { frontProxyClient, frontProxyInfo, kubeletClient } from "../pki/client-certificates.js";
import type { OpenedAccess as CoreApi } from "../delegation/core-api.js";
import type { PluginAccess } from "../delegation/plugin-access.js";
import type { Registration } from "../delegation/registration.js";
import { openPki } from "../pki/open-pki.js";
import { recordRequests } from "../record-requests.js";
import type { ServingCertificates } from "../reload/serving-certificates.js";
import type { TimeAndChance } from "./config.js";
import {
  openAuditOf,
  openAuthenticationOf,
  openAuthorizationOf,
  openEgressOf,
  openEncryptionOf,
  openManifestsOf,
  openPluginAccessOf,
  openRegistrationOf,
  openServingOf,
  openTracingOf,
} from "./open-access.js";
import type { OpenedTracing } from "../tracing/open-tracing.js";
import type { OpenedFairness } from "./open-fairness.js";
import type { OpenedParts } from "./opened-parts.js";
import type { OpenedAuthentication } from "../authentication/open-authentication.js";

export const ADMIN = { commonName: "kubernetes-admin", organizations: ["system:masters"] };

/** The name of the first step of the boot sequence, kube-apiserver's. */
export const STORAGE_STEP = "storage-readiness";

export interface Opening extends TimeAndChance, ServerTraits {
  readonly name: string;
  /** The next server of the chain. */
  readonly delegate: { readonly server: Server } | undefined;
  readonly options: ServerOptions;
  readonly composition: Composition;
}

/** A server with all its parts open. */
export interface OpenedServer extends Opening {
  readonly server: Server;
  readonly boot: BootSequence;
  readonly steps: readonly BootStep[];
  readonly storage: Storage;
  readonly pki: ClusterPki;
  /** The authorities that clients verify the server by, PEM. */
  readonly serverCa: string;
  readonly serving: ServingCertificates | undefined;
  readonly authentication: OpenedAuthentication | undefined;
  /** Called when what authenticates clients has changed. */
  readonly authenticationChanged: () => void;
  /** The "host:port" that the server listens on; set when the port is open. */
  readonly address: { text: string };
  /** The servers that hooks and admission plugins use; undefined where none does. */
  readonly access: PluginAccess | undefined;
  /** Registers the server at its main server; undefined where it does not. */
  readonly registration: Registration | undefined;
  readonly parts: OpenedParts;
}

/** Opens the parts of a server, and makes the server. Each opened part is added to `parts`. */
export async function openParts(opening: Opening, parts: OpenedParts): Promise<OpenedServer> {
  const { options, composition, clock, timers, random } = opening;
  const { onError: reportError = () => {} } = options;
  const access = await openAccess(opening, parts, reportError);
  const { pki, serving, authentication } = access;
  const changes = new Set<() => void>();
  const serverCa = [pki.ca.certificate, serving?.authorities ?? ""].filter((pem) => pem !== "").join("\n");
  // An authority whose key the server is not given signs nothing.
  const identity = pki.ca.key === "" ? undefined : kubeletClient(pki, [clock, systemClock], systemRandom);
  const { frontProxyCa } = pki;
  const made = frontProxyCa && frontProxyClient(frontProxyCa, [clock, systemClock], systemRandom);
  const ownFrontProxy = frontProxyCa && frontProxyInfo(frontProxyCa.certificate);
  const fair = await fairnessOf(
    opening,
    parts,
    { coreApi: access.plugins?.coreApi, measuring: access.measuring },
    reportError,
  );
  const own = composition.steps({
    pki,
    serverCa,
    clock,
    timers,
    random,
    reportError,
    kubeletClient: identity,
    frontProxy: made,
    verifiers: systemClock,
    authentication: {
      info() {
        const info = authentication?.info() ?? { clientCa: pki.ca.certificate };
        return { ...info, frontProxy: info.frontProxy ?? ownFrontProxy };
      },
      onChange: (changed) => void changes.add(changed),
    },
  });
  const steps = fair === undefined ? own : [...own, fair.step];
  const boot = new BootSequence([STORAGE_STEP, ...steps.map(({ name }) => name)]);
  const address = { text: "" };
  const config = await serverConfig(opening, { ...access, identity, boot, address, reportError, fair });
  const server = createServer(config, options.onLifeCycle);
  await access.monitoring.open({
    get asksForRights() {
      return server.asksForRights;
    },
    listed: () => server.indexPaths(),
    served: () => server.served().resources,
    apiServices: () => composition.aggregation?.availability?.() ?? new Map(),
  });
  await access.plugins?.initialize(options.admission ?? {}, server);
  const client = access.plugins?.coreApi?.client;
  const registration =
    client && (await openRegistrationOf(opening, { client, pki, verifiers: systemClock, report: reportError }));
  if (registration !== undefined) parts.add(() => registration.close());
  return {
    ...opening,
    server,
    access: access.plugins,
    registration,
    boot,
    steps,
    storage: access.storage,
    pki,
    serverCa,
    serving,
    authentication,
    authenticationChanged() {
      for (const changed of changes) changed();
    },
    address,
    parts,
  };
}

/** The storage, and what says who may do what with it. */
interface OpenedAccess {
  readonly egress: Egress;
  readonly authorization: Awaited<ReturnType<typeof openAuthorizationOf>>;
  readonly audit: OpenedAudit | undefined;
  readonly manifests: OpenedManifests | undefined;
  readonly tracing: OpenedTracing | undefined;
  readonly serving: ServingCertificates | undefined;
  readonly storage: Storage;
  readonly encryption: OpenedEncryption | undefined;
  /** Whether the storage may hold kinds that Kubernetes has removed. */
  readonly foreign: boolean;
  readonly pki: ClusterPki;
  /** Issues the tokens of service accounts where the authentication has no other. */
  readonly issuer: ServerConfig["serviceAccounts"];
  readonly authentication: OpenedAuthentication | undefined;
  readonly plugins: PluginAccess | undefined;
  readonly env: NonNullable<ServerConfig["env"]>;
  readonly idle: ReturnType<typeof collectWhenIdle>;
  readonly measuring: Measuring;
  readonly monitoring: Monitoring;
}

async function openAccess(
  opening: Opening,
  parts: OpenedParts,
  report: (error: unknown) => void,
): Promise<OpenedAccess> {
  const { release, gates, options, composition, clock, timers, random } = opening;
  const egress = await openEgressOf(options, systemClock);
  const authorization = await openAuthorizationOf(options, composition, opening, egress);
  if (authorization !== undefined) parts.add(() => authorization.close());
  const audit = await openAuditOf(options, composition, opening, egress);
  if (audit !== undefined) parts.add(() => audit.close());
  const tracing = await openTracingOf(options, opening, egress);
  if (tracing !== undefined) parts.add(() => tracing.close());
  const serving = options.tls && (await openServingOf(options.tls, { clock, timers, report }));
  if (serving !== undefined) parts.add(() => serving.close());
  const manifests = await openManifestsOf(options, { release, gates, clock, timers, report });
  if (manifests !== undefined) parts.add(() => manifests.close());
  const kv = await openKv({ ...options, release }, clock, timers, egress.etcd);
  parts.add(() => kv.close());
  const measuring = opening.delegate?.server.measuring ?? new Measuring();
  const measured = measuredKv(kv, measuring);
  const stored = new StoredResources(measured, measuring, release);
  const pki = composition.serving?.pki ?? (await openPki(options, clock, systemClock, random));
  const encryption = await openEncryptionOf(options, measured, { clock, timers, random: systemRandom, report });
  if (encryption !== undefined) parts.add(() => encryption.close());
  // Other storages have no value that cannot be read.
  const mayBeUnreadable = encryption !== undefined || options.storage?.startsWith("files:") === true;
  const namesUnreadable = mayBeUnreadable && gates.enabled(DELETES_UNREADABLE);
  const { storage, foreign } = await openStorage(
    encryption?.kv ?? measured,
    { ...options, namesUnreadable },
    release,
    clock,
    timers,
    stored.observer,
  );
  parts.add(() => storage.close());
  const issuer = composition.serviceAccounts?.(pki);
  const hosts = hostsOf(composition.network, egress.controlplane);
  const { env } = surroundingsOf({});
  const authentication =
    options.authentication &&
    (await openAuthenticationOf(
      options.authentication,
      composition,
      { issuer, pki },
      {
        clock,
        timers,
        random,
        env,
        hosts,
        egress: options.egress === undefined ? undefined : egress,
        report,
        warn: options.onWarning ?? (() => {}),
        signal: options.signal,
      },
    ));
  if (authentication !== undefined) parts.add(() => authentication.close());
  const plugins = await openPluginAccessOf(options, { clock, timers, random, env, report });
  if (plugins !== undefined) parts.add(() => plugins.close());
  const idle = collectWhenIdle(v8Memory, systemTimers);
  parts.add(() => idle.stop());
  const monitoring = new Monitoring(options.monitoring ?? {}, {
    release,
    clock,
    timers,
    process: { clock: systemClock, timers: systemTimers },
    random: forkRandom(random, "monitoring"),
    stored,
    measuring,
  });
  return {
    egress,
    authorization,
    audit,
    manifests,
    tracing,
    serving,
    storage,
    encryption,
    foreign,
    pki,
    issuer,
    authentication,
    plugins,
    env,
    idle,
    measuring,
    monitoring,
  };
}

interface ServerParts extends OpenedAccess, Pick<OpenedServer, "boot" | "address"> {
  readonly identity: CompositionParts["kubeletClient"];
  readonly reportError: (error: unknown) => void;
  readonly fair: OpenedFairness | undefined;
}

async function serverConfig(opening: Opening, parts: ServerParts): Promise<ServerConfig> {
  const { options, composition, clock, timers, random } = opening;
  const { egress, authorization, serving, storage, foreign, pki, authentication, env, idle } = parts;
  const { identity, boot, address, reportError } = parts;
  parts.audit?.measure(parts.measuring);
  const serviceAccounts = authentication === undefined ? parts.issuer : authentication.serviceAccounts;
  const clientsHost = composition.serving?.externalHost;
  return {
    name: opening.name,
    delegate: opening.delegate?.server,
    measuring: parts.measuring,
    monitoring: parts.monitoring,
    listsPathsAtEnd: composition.listsPathsAtEnd === true && opening.delegate === undefined,
    storage,
    boot,
    runtimeConfig: composition.runtimeConfig,
    records: composition.records,
    aggregation: composition.aggregation,
    release: opening.release,
    gates: opening.gates,
    ...(await knownKinds(opening.release, composition.runtimeConfig, foreign)),
    clock,
    random,
    requestRandom: forkRandom(random, "requests"),
    ...(opening.manual && { timers }),
    env,
    tokens: [staticTokens(new Map([[pki.token, { name: ADMIN.commonName, groups: ADMIN.organizations }]]))],
    ...(serviceAccounts && { serviceAccounts }),
    ...(authentication && { authentication: authentication.parts }),
    network: { ...(identity && { kubeletClient: identity }), egress: egress.cluster, ...composition.network },
    webhookEgress: egress,
    serverAddress: () => toldTo(clientsHost, address.text),
    reportError,
    outermost: [
      idle.filter,
      ...(await requestLogOf(opening)),
      ...(options.onRequest === undefined ? [] : [recordRequests(options.onRequest)]),
    ],
    ...ofCaller(options, opening.gates),
    manifests: parts.manifests,
    ...(parts.fair && { fairness: parts.fair.fairness.filter }),
    openToAnonymous: options.http?.anonymous === true,
    ...(authorization && { authorization: authorization.modes }),
    audit: parts.audit?.auditing,
    tracing: parts.tracing?.tracing,
    healthChecks: [
      ...(options.healthChecks ?? []),
      ...(authentication?.healthChecks ?? []),
      ...(authorization?.healthChecks ?? []),
      ...(serving?.healthChecks ?? []),
      ...(parts.encryption?.healthChecks ?? []),
    ],
    readyChecks: [
      ...(parts.plugins?.readyChecks ?? []),
      ...(composition.checksInformers === true ? [informerSync(storage)] : []),
    ],
  };
}

/** The filter that logs requests, where the options have a log for them. */
async function requestLogOf({ options, timers }: Opening): Promise<readonly Filter[]> {
  const log = options.monitoring?.requestLog;
  if (log === undefined) return [];
  const { logRequests } = await inOrder(import("../../server/filters/request-log.js"));
  return [logRequests(log, stopwatchOf(timers)())];
}

/** kube-apiserver's check of its informers, in whose place the watch cache stands. */
function informerSync(storage: Storage): HealthCheck {
  return {
    name: "informer-sync",
    async check() {
      // A cache that is full says so in this turn of the event loop.
      const isSynced = await Promise.race([storage.ready().then(() => true), turn().then(() => false)]);
      if (!isSynced) throw new Error("1 informers not started yet: [the watch cache]");
    },
  };
}

/** Undefined where the options do not ask for it; nothing of it is loaded then. */
async function fairnessOf(
  opening: Opening,
  parts: OpenedParts,
  uses: { readonly coreApi: CoreApi | undefined; readonly measuring: Measuring },
  report: (error: unknown) => void,
): Promise<OpenedFairness | undefined> {
  if (opening.options.inFlight?.fairness !== true) return undefined;
  const { openFairness } = await inOrder(import("./open-fairness.js"));
  return openFairness(opening, parts, uses, report);
}

/** The kinds that a server must know. Those that Kubernetes has removed are loaded only for a server that serves or may find some. */
async function knownKinds(
  release: Release,
  runtimeConfig: RuntimeConfig,
  foreign: boolean,
): Promise<{ readonly scheme: Scheme; readonly types?: TypeSource }> {
  const serves = servesRetired(runtimeConfig);
  if (!foreign && !serves) return { scheme: publishedScheme(release) };
  const { allScheme } = await import("../../api/scheme/all.js");
  if (!serves) return { scheme: allScheme(release) };
  const { allDefinitionsOf } = await import("../../api/facts/unpublished.js");
  return { scheme: allScheme(release), types: allDefinitionsOf(release) };
}

/** An address with the host that clients are told in place of its own. */
function toldTo(host: string | undefined, address: string): string {
  if (host === undefined || address === "") return address;
  return authority(host, Number(address.slice(address.lastIndexOf(":") + 1)));
}

/** The argument of a hook. */
export const hookContext = ({ server, access }: Pick<OpenedServer, "server" | "access">): HookContext => ({
  transport: server.loopback(),
  registry: server.registry,
  coreApi: access?.coreApi,
});
