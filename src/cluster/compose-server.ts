import { type Clock, systemClock } from "../base/time/clock.js";
import { goQuote } from "../base/text/go-quote.js";
import { ManualClock } from "../base/time/manual-clock.js";
import { forkRandom, type Random, systemRandom } from "../base/numbers/random.js";
import { systemTimers, type Timers } from "../base/time/timers.js";
import { driveTurns } from "../base/async/turns.js";
import { untilAborted } from "../base/async/until-aborted.js";
import { surroundingsOf } from "../client/surroundings.js";
import { enabledPlugins } from "../server/admission/enabled-plugins.js";
import { staticTokens } from "../server/authn/static-tokens.js";
import { BootSequence } from "../server/generic/boot-sequence.js";
import type { Listener } from "../server/generic/secure-listener.js";
import { createServer, type Server } from "../server/generic/server.js";
import { hostsOf } from "../server/kubelet/cluster-network.js";
import type { Kv } from "../server/storage/kv.js";
import { readAdmissionOptions } from "./options/admission-configuration.js";
import { closeDriven, clusterClock } from "./cluster-clock.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import type { AuthenticationSurroundings } from "./authentication/authentication-surroundings.js";
import type { OpenedAuthentication } from "./authentication/open-authentication.js";
import { type AuthenticationOptions, checkAuthenticationOptions } from "./options/authentication-options.js";
import type { BootStep, Composition } from "./composition.js";
import { collectWhenIdle, v8Memory } from "./idle-memory.js";
import { knownKinds } from "./known-kinds.js";
import { kubeconfigText } from "./kubeconfig.js";
import { authority, HOST, openSocket } from "./open-socket.js";
import { checkMaxObjectBytes, openKv, openStorage } from "./open-storage.js";
import type { ClusterPki } from "./pki/cluster-pki.js";
import { type OpenedAuthorization, openAuthorization } from "./open-authorization.js";
import { kubeletClient } from "./pki/kubelet-client.js";
import { openPki } from "./pki/open-pki.js";
import { userCertificate } from "./pki/user-certificate.js";
import { recordRequests } from "./record-requests.js";
import type { RunningServer } from "./running-server.js";
import type { ServingCertificates, ServingSurroundings } from "./serving-certificates.js";
import { type Hook, type HookContext, type Hooks, ofCaller, type ServerOptions } from "./options/server-options.js";
import type { TlsOptions } from "./options/tls-options.js";

const ADMIN = { commonName: "kubernetes-admin", organizations: ["system:masters"] };
/** kube-apiserver's name for the first step. */
const STORAGE_STEP = "storage-readiness";

/**
 * The one composition root of servers: opens storage, certificates and port, and runs the steps. Rejects before anything is
 * opened for options that cannot be right, and with the reason of the options' signal when it aborts before the server serves.
 */
export async function composeServer(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const { signal } = options;
  if (signal === undefined) return compose(options, composition);
  signal.throwIfAborted();
  // The caller's signal may live as long as the server, which it does not end.
  const start = new AbortController();
  const end = (): void => start.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await compose({ ...options, signal: start.signal }, composition);
  } catch (error) {
    throw start.signal.aborted ? start.signal.reason : error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function compose(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom } = options;
  const admission = await readAdmissionOptions(options.admission ?? {});
  enabledPlugins(admission);
  checkAuthenticationOptions(options.authentication ?? {});
  checkMaxObjectBytes(options);
  const manual = clock instanceof ManualClock ? clock : undefined;
  const timers = manual ?? systemTimers;
  const release = manual === undefined ? () => {} : driveTurns();
  let authorization: OpenedAuthorization | undefined;
  try {
    authorization = await authorizationOf(options, composition, { clock, timers, random });
    const report = options.onError ?? (() => {});
    const serving = options.tls && (await openServingOf(options.tls, { clock, timers, report }));
    const kv = await openKv(options, clock, timers);
    try {
      const pki = composition.serving?.pki ?? (await openPki(options, clock, systemClock, random));
      const parts = { clock, manual, timers, random, kv, pki, authorization, serving, release };
      return await start({ ...options, admission }, composition, parts);
    } catch (error) {
      await kv.close();
      throw error;
    }
  } catch (error) {
    await authorization?.close();
    release();
    throw error;
  }
}

/** Undefined where every user may do everything. */
async function authorizationOf(
  { authorization, onError = () => {} }: ServerOptions,
  composition: Composition,
  { clock, timers, random }: Pick<Parts, "clock" | "timers" | "random">,
): Promise<OpenedAuthorization | undefined> {
  const wanted = authorization ?? composition.authorization;
  if (wanted === undefined) return undefined;
  return openAuthorization(wanted, {
    clock,
    timers,
    random: forkRandom(random, "authorization"),
    env: surroundingsOf({}).env,
    hosts: hostsOf(composition.network),
    reportError: onError,
  });
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
  readonly authorization: OpenedAuthorization | undefined;
  readonly serving: ServingCertificates | undefined;
}

async function start(options: ServerOptions, composition: Composition, parts: Parts): Promise<RunningServer> {
  const { clock, manual, timers, random, kv, pki, authorization, serving, release } = parts;
  const host = composition.serving?.host ?? HOST;
  const { hooks = {}, onError: reportError = () => {} } = options;
  let listener: Listener | undefined;
  const { storage, foreign } = await openStorage(kv, options, clock, timers);
  const env = surroundingsOf({}).env;
  const issuer = composition.serviceAccounts?.(pki);
  const authentication =
    options.authentication &&
    (await openAuthenticationOf(
      options.authentication,
      composition,
      { issuer, pki },
      { clock, timers, random, env, hosts: hostsOf(composition.network), report: reportError },
    ));
  const changes = new Set<() => void>();
  const published = {
    info: () => authentication?.info() ?? { clientCa: pki.ca.certificate },
    onChange: (changed: () => void) => void changes.add(changed),
  };
  const serverCa = [pki.ca.certificate, serving?.authorities ?? ""].filter((pem) => pem !== "").join("\n");
  const idle = collectWhenIdle(v8Memory, systemTimers);
  // An authority whose key the server is not given signs nothing.
  const identity = pki.ca.key === "" ? undefined : kubeletClient(pki, [clock, systemClock], systemRandom);
  const steps = composition.steps({
    pki,
    serverCa,
    clock,
    timers,
    random,
    reportError,
    kubeletClient: identity,
    verifiers: systemClock,
    authentication: published,
  });
  const hookSteps = (hooks.postStart ?? []).map(stepOf);
  checkHookNames(hooks, steps);
  const boot = new BootSequence([STORAGE_STEP, ...[...steps, ...hookSteps].map(({ name }) => name)]);
  const serviceAccounts = authentication === undefined ? issuer : authentication.serviceAccounts;
  const given = ofCaller(options);
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
    env,
    tokens: [staticTokens(new Map([[pki.token, { name: ADMIN.commonName, groups: ADMIN.organizations }]]))],
    ...(serviceAccounts && { serviceAccounts }),
    ...(authentication && { authentication: authentication.parts }),
    network: { ...(identity && { kubeletClient: identity }), ...composition.network },
    serverAddress: () =>
      listener === undefined ? "" : authority(composition.serving?.externalHost ?? host, listener.port),
    reportError,
    outermost: [idle.filter, ...(options.onRequest === undefined ? [] : [recordRequests(options.onRequest)])],
    ...given,
    ...(authorization && { authorization: authorization.modes }),
    healthChecks: [
      ...(options.healthChecks ?? []),
      ...(authentication?.healthChecks ?? []),
      ...(authorization?.healthChecks ?? []),
      ...(serving?.healthChecks ?? []),
    ],
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
    await authorization?.close();
    await authentication?.close();
    serving?.close();
    await storage.close();
    release();
  };
  try {
    // The port first: it may be taken, and from now on probes can ask how far the server is.
    listener = await openSocket(options, host, server, pki, {
      clock: systemClock,
      authorities: authentication?.authorities,
      serving,
      http2: composition.serving?.http2,
    });
    if (listener !== undefined) serving?.watch(pki.server, listener.show);
    await authentication?.start(() => {
      listener?.trust(authentication.authorities);
      for (const changed of changes) changed();
    });
    const run = (name: string, step: () => Promise<void>) => untilAborted(boot.run(name, step), options.signal);
    await run(STORAGE_STEP, () => storage.ready());
    for (const step of steps) await run(step.name, async () => step.run(server, listener));
    composition.afterSteps?.();
    for (const step of hookSteps) await run(step.name, async () => step.run(server, listener));
  } catch (error) {
    await close();
    throw error;
  }
  // Users must not change which uids objects get.
  const userRandom = forkRandom(random, "users");
  const url = listener === undefined ? "" : `https://${authority(host, listener.port)}`;
  let closing: Promise<void> | undefined;
  const closeOnce = () => (closing ??= manual === undefined ? close() : closeDriven(manual, close()));
  return {
    ...(manual && { clock: clusterClock(manual) }),
    url,
    kubeconfig: (user) =>
      kubeconfigText(
        "kubets",
        url,
        { ...pki, ca: { certificate: serverCa } },
        user && userCertificate(pki, user, [clock, systemClock], userRandom),
      ),
    caCertificate: serverCa,
    token: pki.token,
    registry: server.registry,
    transport: () => server.transport(ADMIN),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** What authenticates beside the administrator and service accounts is loaded where a server has any of it. */
async function openAuthenticationOf(
  options: AuthenticationOptions,
  { serving }: Composition,
  { issuer, pki }: { readonly issuer: TokenIssuer | undefined; readonly pki: ClusterPki },
  surroundings: Omit<AuthenticationSurroundings, "faults">,
): Promise<OpenedAuthentication> {
  const { openAuthentication } = await import("./authentication/open-authentication.js");
  const clientCa = serving?.clientCaFile === undefined ? pki.ca.certificate : "";
  const clientCaFiles = [
    ...(serving?.clientCaFile === undefined ? [] : [serving.clientCaFile]),
    ...(options.clientCaFiles ?? []),
  ];
  return openAuthentication({ ...options, clientCaFiles }, { serviceAccounts: issuer, clientCa }, surroundings);
}

/** Certificates of files are loaded where a server is given any. */
async function openServingOf(options: TlsOptions, surroundings: ServingSurroundings): Promise<ServingCertificates> {
  const { openServingCertificates } = await import("./serving-certificates.js");
  return openServingCertificates(options, surroundings);
}

/** Two hooks of one name would be one health check. Throws in kube-apiserver's words. */
function checkHookNames({ postStart = [], preShutdown = [] }: Hooks, steps: readonly BootStep[]): void {
  const check = (names: readonly string[], why: string): void => {
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name)) throw new Error(`unable to add ${goQuote(name)} because it ${why}`);
      seen.add(name);
    }
  };
  const started = [STORAGE_STEP, ...[...steps, ...postStart].map(({ name }) => name)];
  check(started, "was already registered: every post-start hook needs a name of its own");
  const stopped = preShutdown.map(({ name }) => name);
  check(stopped, "is already registered: every pre-shutdown hook needs a name of its own");
}

const contextOf = (server: Server): HookContext => ({ transport: server.loopback(), registry: server.registry });

const stepOf = (hook: Hook): BootStep => ({ name: hook.name, run: (server) => hook.run(contextOf(server)) });
