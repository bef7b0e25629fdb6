import { setMaxListeners } from "node:events";
import type { ControllerName } from "../api/controllers/index.js";
import type { Clock } from "../base/clock.js";
import type { Transport } from "../client/transport/transport.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { type Api, createApi } from "./api.js";
import { ensure, isTerminating } from "./ensure.js";
import { CertificateSigner, SIGNED_REQUESTS, type SignClient } from "./certificates/certificate-signer.js";
import { BUDGETS, DisruptionController } from "./disruption/disruption-controller.js";
import { ExpiredPods } from "./expired-pods/expired-pods.js";
import { follow } from "./follow.js";
import { GarbageCollector } from "./garbage-collector/garbage-collector.js";
import { repeat } from "./repeat.js";
import { warningRecorders } from "./record-event.js";
import { NamespaceController } from "./namespace/namespace-controller.js";
import { ensureRootCa, ROOT_CA } from "./root-ca/root-ca-publisher.js";
import { ClusterIpRepair } from "./service-allocation/cluster-ip-repair.js";
import { NodePortRepair, type NodePortRegistry } from "./service-allocation/node-port-repair.js";
import { SERVICE_CIDRS, ServiceCidrController } from "./service-cidr/service-cidr-controller.js";
import { releaseClaim, releaseClaimsOf, releaseVolume } from "./volume-protection/volume-protection.js";
import { ensureDefaultServiceAccount } from "./service-account/default-service-account.js";

export interface ControllersConfig {
  /**
   * Which of kube-controller-manager's run. What Kubernetes has inside kube-apiserver runs always: the system's namespaces,
   * its Service and its ServiceCIDR come back, and addresses and ports are compared with the services that have them.
   */
  readonly enabled: ReadonlySet<ControllerName>;
  /** To the API, as a user who may do everything. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** PEM; published in every namespace. */
  readonly caCertificate: string;
  /** The Service the API is found at; put back when somebody deletes it. */
  readonly kubernetesService: KubeObject;
  /** Where cluster IPs come from when nobody says otherwise; put back as well. */
  readonly serviceCidr: KubeObject;
  readonly nodePorts: NodePortRegistry;
  /** A client's certificate for a PKCS #10 request, both PEM. Throws for what is no request. */
  readonly signClient: SignClient;
  readonly reportError?: (error: unknown) => void;
  /** Calls `listener` after each change of what the server serves, until the returned function is called. */
  readonly onApiChange?: (listener: () => void) => () => void;
}

export interface Controllers {
  /**
   * Resolves when what every namespace has is there for the namespaces there were at the start, and services can get
   * addresses and ports.
   */
  readonly settled: Promise<void>;
  /** Resolves when a namespace has what every namespace has. */
  prepared(namespace: string): Promise<void>;
  /** Resolves when nothing of them runs any more. */
  stop(): Promise<void>;
}

/** Put back when somebody deletes them. */
const SYSTEM_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** How often addresses and ports are compared with the services that have them. */
const REPAIR_MS = 180_000;

/** Starts the controllers that are enabled; they speak the API like anyone. */
export function startControllers(config: ControllersConfig): Controllers {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every watch and every wait listens.
  setMaxListeners(0, signal);
  const api = createApi(config.transport, "kubets-controller-manager");
  const report = (error: unknown) => {
    if (!signal.aborted) config.reportError?.(error);
  };
  const runs = (name: ControllerName): boolean => config.enabled.has(name);
  const namespaces = new NamespaceController(api, config.clock, signal, report);
  const pods = new ExpiredPods(api, config.clock, signal, report);
  const furnish = once((name) => furnishNamespace(api, name, config));
  const cidrs = new ServiceCidrController(api, config.clock, signal, report);
  const warnings = warningRecorders(api, config.clock, report);
  const ips = new ClusterIpRepair(api, config.clock, warnings("ipallocator-repair-controller"));
  const disruption = new DisruptionController({ api, clock: config.clock, signal, report });
  const signer = new CertificateSigner(api, config.signClient, config.clock);
  const garbage = new GarbageCollector({
    api,
    clock: config.clock,
    signal,
    report,
    warn: warnings("garbage-collector-controller"),
  });
  const ports = new NodePortRepair(api, config.nodePorts, warnings("portallocator-repair-controller"));
  // One after the other, so that a new cluster always has the same objects at the same versions.
  const [namespacesReady, cidrsReady, ipsReady, portsReady] = [milestone(), milestone(), milestone(), milestone()];
  const repairs = { milliseconds: REPAIR_MS, signal, report };
  const running: Promise<unknown>[] = [
    follow(api, {
      path: "/api/v1/namespaces",
      signal,
      report,
      synced: namespacesReady.reach,
      async changed(namespace) {
        if (!isTerminating(namespace)) await furnish(namespace.metadata?.name ?? "");
        else if (runs("namespace-controller")) namespaces.empty(namespace);
      },
      async deleted({ metadata }) {
        if (SYSTEM_NAMESPACES.includes(metadata?.name ?? "")) await createNamespace(api, metadata?.name ?? "");
      },
    }),
    follow(api, {
      ...removed("services", "kubernetes", async (namespace) => {
        if (namespace === "default") await ensure(api, "/api/v1/namespaces/default/services", config.kubernetesService);
      }),
      signal,
      report,
    }),
    namespacesReady.reached.then(() =>
      follow(api, {
        path: SERVICE_CIDRS,
        signal,
        report,
        synced: cidrsReady.reach,
        async changed(cidr) {
          if (runs("service-cidr-controller")) await cidrs.changed(cidr);
        },
        async deleted({ metadata }) {
          if (metadata?.name === config.serviceCidr.metadata?.name)
            await ensure(api, SERVICE_CIDRS, config.serviceCidr);
        },
      }),
    ),
    cidrsReady.reached.then(() => repeat(() => ips.run(), { ...repairs, succeeded: ipsReady.reach })),
    ipsReady.reached.then(() => repeat(() => ports.run(), { ...repairs, succeeded: portsReady.reach })),
  ];
  /** Starts what one of these controllers needs, once. */
  const start = (names: readonly ControllerName[], begin: () => Promise<unknown>): void => {
    if (names.some(runs)) running.push(begin());
  };
  start(["serviceaccount-controller"], () =>
    follow(api, { ...removed("serviceaccounts", "default", furnish), signal, report }),
  );
  start(["root-ca-certificate-publisher-controller"], () =>
    follow(api, { ...removed("configmaps", ROOT_CA, furnish), signal, report }),
  );
  start(
    ["disruption-controller", "pod-garbage-collector-controller", "persistentvolumeclaim-protection-controller"],
    () =>
      follow(api, {
        path: "/api/v1/pods",
        signal,
        report,
        async changed(pod) {
          if (runs("disruption-controller")) disruption.podChanged(pod);
          if (runs("pod-garbage-collector-controller")) await pods.changed(pod);
        },
        async deleted(pod) {
          if (runs("disruption-controller")) disruption.podChanged(pod);
          pods.gone(pod);
          if (runs("persistentvolumeclaim-protection-controller")) await releaseClaimsOf(api, pod);
        },
      }),
  );
  start(["persistentvolumeclaim-protection-controller"], () =>
    follow(api, {
      path: "/api/v1/persistentvolumeclaims",
      signal,
      report,
      changed: (claim) => releaseClaim(api, claim),
    }),
  );
  start(["persistentvolume-protection-controller"], () =>
    follow(api, { path: "/api/v1/persistentvolumes", signal, report, changed: (volume) => releaseVolume(api, volume) }),
  );
  start(["disruption-controller"], () =>
    follow(api, {
      path: BUDGETS,
      signal,
      report,
      changed: async (budget) => disruption.budgetChanged(budget),
      deleted: async (budget) => disruption.budgetDeleted(budget),
    }),
  );
  start(["certificatesigningrequest-signing-controller"], () =>
    follow(api, { path: SIGNED_REQUESTS, signal, report, changed: (request) => signer.changed(request) }),
  );
  const unsubscribe = config.onApiChange?.(() => {
    namespaces.apiChanged();
    garbage.apiChanged();
  });
  // The API is ready before the garbage collector has looked at all objects.
  start(["garbage-collector-controller"], () => portsReady.reached.then(() => garbage.run()));
  return {
    settled: portsReady.reached,
    prepared: furnish,
    async stop() {
      unsubscribe?.();
      stopping.abort();
      for (const { reach } of [namespacesReady, cidrsReady, ipsReady, portsReady]) reach();
      await Promise.allSettled([...running, namespaces.settled(), cidrs.settled(), disruption.settled()]);
    },
  };
}

/** Something others wait for; when the controllers stop it is reached as well, and nothing is begun any more. */
function milestone(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

async function createNamespace(api: Api, name: string): Promise<void> {
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

/** One call at a time for a name: who asks meanwhile waits for the same. */
function once(work: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (name) => {
    let run = running.get(name);
    if (run === undefined) {
      run = work(name).finally(() => running.delete(name));
      running.set(name, run);
    }
    return run;
  };
}

async function furnishNamespace(
  api: Api,
  namespace: string,
  { enabled, caCertificate }: ControllersConfig,
): Promise<void> {
  if (enabled.has("serviceaccount-controller")) await ensureDefaultServiceAccount(api, namespace);
  if (enabled.has("root-ca-certificate-publisher-controller")) await ensureRootCa(api, namespace, caCertificate);
}

/** Watches one name of a resource in all namespaces and puts it back where it is taken away. */
function removed(resource: string, name: string, restore: (namespace: string) => Promise<void>) {
  return {
    path: `/api/v1/${resource}?fieldSelector=metadata.name%3D${name}`,
    changed: () => Promise.resolve(),
    deleted: (object: KubeObject) => restore(object.metadata?.namespace ?? ""),
  };
}
