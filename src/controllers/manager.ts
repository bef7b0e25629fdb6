import { setMaxListeners } from "node:events";
import type { Clock } from "../base/clock.js";
import type { Transport } from "../client/transport/transport.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { type Api, createApi } from "./api.js";
import { ensure, isTerminating } from "./ensure.js";
import { ExpiredPods } from "./expired-pods/expired-pods.js";
import { follow } from "./follow.js";
import { NamespaceController } from "./namespace/namespace-controller.js";
import { ensureRootCa, ROOT_CA } from "./root-ca/root-ca-publisher.js";
import { releaseClaim, releaseClaimsOf, releaseVolume } from "./volume-protection/volume-protection.js";
import { ensureDefaultServiceAccount } from "./service-account/default-service-account.js";

export interface ControllersConfig {
  /** To the API, as a user who may do everything. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** PEM; published in every namespace. */
  readonly caCertificate: string;
  /** The Service the API is found at; put back when somebody deletes it. */
  readonly kubernetesService: KubeObject;
  readonly reportError?: (error: unknown) => void;
}

export interface Controllers {
  /** Resolves when what every namespace has is there for the namespaces there were at the start. */
  readonly settled: Promise<void>;
  /** Resolves when a namespace has what every namespace has. */
  prepared(namespace: string): Promise<void>;
  /** Resolves when nothing of them runs any more. */
  stop(): Promise<void>;
}

/** Put back when somebody deletes them. */
const SYSTEM_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Starts every controller; they speak the API like anyone. */
export function startControllers(config: ControllersConfig): Controllers {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every watch and every wait listens.
  setMaxListeners(0, signal);
  const api = createApi(config.transport, "kubets-controller-manager");
  const report = (error: unknown) => {
    if (!signal.aborted) config.reportError?.(error);
  };
  const namespaces = new NamespaceController(api, signal, report);
  const pods = new ExpiredPods(api, config.clock, signal, report);
  const furnish = once((name) => furnishNamespace(api, name, config.caCertificate));
  let synced = () => {};
  const settled = new Promise<void>((resolve) => {
    synced = resolve;
  });
  const running = [
    follow(api, {
      path: "/api/v1/namespaces",
      signal,
      report,
      synced,
      async changed(namespace) {
        if (isTerminating(namespace)) namespaces.empty(namespace);
        else await furnish(namespace.metadata?.name ?? "");
      },
      async deleted({ metadata }) {
        if (SYSTEM_NAMESPACES.includes(metadata?.name ?? "")) await createNamespace(api, metadata?.name ?? "");
      },
    }),
    follow(api, { ...removed("serviceaccounts", "default", furnish), signal, report }),
    follow(api, { ...removed("configmaps", ROOT_CA, furnish), signal, report }),
    follow(api, {
      ...removed("services", "kubernetes", async (namespace) => {
        if (namespace === "default") await ensure(api, "/api/v1/namespaces/default/services", config.kubernetesService);
      }),
      signal,
      report,
    }),
    follow(api, {
      path: "/api/v1/pods",
      signal,
      report,
      changed: (pod) => pods.changed(pod),
      async deleted(pod) {
        pods.gone(pod);
        await releaseClaimsOf(api, pod);
      },
    }),
    follow(api, {
      path: "/api/v1/persistentvolumeclaims",
      signal,
      report,
      changed: (claim) => releaseClaim(api, claim),
    }),
    follow(api, { path: "/api/v1/persistentvolumes", signal, report, changed: (volume) => releaseVolume(api, volume) }),
  ];
  return {
    settled,
    prepared: furnish,
    async stop() {
      stopping.abort();
      await Promise.allSettled([...running, namespaces.settled()]);
    },
  };
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

async function furnishNamespace(api: Api, namespace: string, caCertificate: string): Promise<void> {
  await ensureDefaultServiceAccount(api, namespace);
  await ensureRootCa(api, namespace, caCertificate);
}

/** Watches one name of a resource in all namespaces and puts it back where it is taken away. */
function removed(resource: string, name: string, restore: (namespace: string) => Promise<void>) {
  return {
    path: `/api/v1/${resource}?fieldSelector=metadata.name%3D${name}`,
    changed: () => Promise.resolve(),
    deleted: (object: KubeObject) => restore(object.metadata?.namespace ?? ""),
  };
}
