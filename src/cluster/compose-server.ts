import { type Clock, systemClock } from "../base/clock.js";
import { ManualClock } from "../base/manual-clock.js";
import { forkRandom, type Random, systemRandom } from "../base/random.js";
import { systemTimers, type Timers } from "../base/timers.js";
import { driveTurns } from "../base/turns.js";
import { surroundingsOf } from "../client/surroundings.js";
import { enabledPlugins } from "../server/admission/enabled-plugins.js";
import { staticTokens } from "../server/authn/bearer-token.js";
import { BootSequence } from "../server/generic/boot-sequence.js";
import type { Listener } from "../server/generic/secure-listener.js";
import { createServer, type Server } from "../server/generic/server.js";
import type { Kv } from "../server/storage/kv.js";
import { readAdmissionOptions } from "./admission-configuration.js";
import { closeDriven, clusterClock } from "./cluster-clock.js";
import type { BootStep, Composition } from "./composition.js";
import { collectWhenIdle, v8Memory } from "./idle-memory.js";
import { knownKinds } from "./known-kinds.js";
import { kubeconfigText } from "./kubeconfig.js";
import { authority, HOST, openSocket } from "./open-socket.js";
import { openKv, openStorage } from "./open-storage.js";
import type { ClusterPki } from "./pki/cluster-pki.js";
import { kubeletClient } from "./pki/kubelet-client.js";
import { openPki } from "./pki/open-pki.js";
import { recordRequests } from "./record-requests.js";
import type { RunningServer } from "./running-server.js";
import { type Hook, type HookContext, ofCaller, type ServerOptions } from "./server-options.js";

const ADMIN = { commonName: "kubernetes-admin", organizations: ["system:masters"] };
/** kube-apiserver's name for the first step. */
const STORAGE_STEP = "storage-readiness";

/**
 * The one composition root of servers: opens storage, certificates and port, and runs the steps. Rejects before anything is
 * opened for options that cannot be right.
 */
export async function composeServer(options: ServerOptions, composition: Composition): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom } = options;
  const admission = await readAdmissionOptions(options.admission ?? {});
  enabledPlugins(admission);
  const manual = clock instanceof ManualClock ? clock : undefined;
  const timers = manual ?? systemTimers;
  const release = manual === undefined ? () => {} : driveTurns();
  try {
    const kv = await openKv(options, clock, timers);
    try {
      const pki = composition.serving?.pki ?? (await openPki(options, clock, systemClock, random));
      return await start({ ...options, admission }, composition, { clock, manual, timers, random, kv, pki, release });
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
    network: {
      ...(pki.ca.key !== "" && { kubeletClient: kubeletClient(pki, [clock, systemClock], systemRandom) }),
      ...composition.network,
    },
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

const contextOf = (server: Server): HookContext => ({ transport: server.loopback(), registry: server.registry });

const stepOf = (hook: Hook): BootStep => ({ name: hook.name, run: (server) => hook.run(contextOf(server)) });
