import { dictionary } from "../../base/collections/dictionary.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { Release, RuntimeConfig } from "../facts/index.js";

/** Where each group stands in discovery; APIServices of CRDs come after all of these. */
const GROUP_PRIORITY: Readonly<Record<string, number>> = dictionary({
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "apiextensions.k8s.io": 16700,
  "admissionregistration.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "resource.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
  "internal.apiserver.k8s.io": 16000,
  "storagemigration.k8s.io": 15800,
  "lifecycle.k8s.io": 15700,
});

/** Versions that do not have the usual priority of their class. */
const VERSION_PRIORITY: Readonly<Record<string, number>> = dictionary({
  v1: 1,
  "autoscaling/v2": 30,
  "flowcontrol.apiserver.k8s.io/v1": 21,
});

/** One APIService per served group-version that the server serves itself, as kube-aggregator registers them. */
export function bootstrapApiServices(release: Release, runtimeConfig?: RuntimeConfig): KubeObject[] {
  return release
    .servedGroups(runtimeConfig)
    .filter(({ name }) => name !== "apiregistration.k8s.io")
    .flatMap(({ name: group, versions }) => versions.map((version) => apiService(group, version)));
}

function apiService(group: string, version: string): KubeObject {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}`, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
    spec: {
      ...(group !== "" && { group }),
      version,
      groupPriorityMinimum: GROUP_PRIORITY[group] ?? 15000,
      versionPriority: VERSION_PRIORITY[formatGroupVersion({ group, version })] ?? classPriority(version),
    },
  };
}

function classPriority(version: string): number {
  if (version.includes("alpha")) return 1;
  return version.includes("beta") ? 9 : 15;
}
