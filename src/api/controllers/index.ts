/** The controllers of kube-controller-manager that there are, by its names, each with the name it had before 1.28. */
const ALIASES = {
  "bootstrap-signer-controller": "bootstrapsigner",
  "certificatesigningrequest-approving-controller": "csrapproving",
  "certificatesigningrequest-cleaner-controller": "csrcleaner",
  "certificatesigningrequest-signing-controller": "csrsigning",
  "clusterrole-aggregation-controller": "clusterrole-aggregation",
  "cronjob-controller": "cronjob",
  "daemonset-controller": "daemonset",
  "deployment-controller": "deployment",
  "device-taint-eviction-controller": undefined,
  "disruption-controller": "disruption",
  "endpoints-controller": "endpoint",
  "endpointslice-controller": "endpointslice",
  "endpointslice-mirroring-controller": "endpointslicemirroring",
  "ephemeral-volume-controller": "ephemeral-volume",
  "garbage-collector-controller": "garbagecollector",
  "horizontal-pod-autoscaler-controller": "horizontalpodautoscaling",
  "job-controller": "job",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "namespace-controller": "namespace",
  "node-ipam-controller": "nodeipam",
  "node-lifecycle-controller": "nodelifecycle",
  "persistentvolume-attach-detach-controller": "attachdetach",
  "persistentvolume-binder-controller": "persistentvolume-binder",
  "persistentvolume-expander-controller": "persistentvolume-expander",
  "persistentvolume-protection-controller": "pv-protection",
  "persistentvolumeclaim-protection-controller": "pvc-protection",
  "pod-garbage-collector-controller": "podgc",
  "podgroup-protection-controller": undefined,
  "replicaset-controller": "replicaset",
  "replicationcontroller-controller": "replicationcontroller",
  "resourceclaim-controller": "resource-claim-controller",
  "resourcequota-controller": "resourcequota",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "service-cidr-controller": undefined,
  "service-lb-controller": "service",
  "serviceaccount-controller": "serviceaccount",
  "serviceaccount-token-controller": "serviceaccount-token",
  "statefulset-controller": "statefulset",
  "storage-version-migrator-controller": "svm",
  "storageversion-garbage-collector-controller": "storage-version-gc",
  "taint-eviction-controller": undefined,
  "token-cleaner-controller": "tokencleaner",
  "ttl-after-finished-controller": "ttl-after-finished",
  "ttl-controller": "ttl",
  "validatingadmissionpolicy-status-controller": undefined,
  "volumeattributesclass-protection-controller": undefined,
} as const;

export type ControllerName = keyof typeof ALIASES;

/** The names of the controllers, sorted. */
export const controllerNames = Object.keys(ALIASES) as readonly ControllerName[];

/** The controllers that run only when they are named, not with "*". */
export const controllersOffByDefault: readonly ControllerName[] = [
  "bootstrap-signer-controller",
  "token-cleaner-controller",
];

const BY_GIVEN_NAME: ReadonlyMap<string, ControllerName> = new Map(
  controllerNames.flatMap((name) => [name, ALIASES[name]].flatMap((given) => (given ? [[given, name] as const] : []))),
);

/**
 * Reads which controllers --controllers enables: "*" all but {@link controllersOffByDefault}, "name" that one, "-name" not that
 * one. The first entry for a controller wins, and a controller without an entry runs only with "*". Throws, in
 * kube-controller-manager's words, for unknown names.
 */
export function enabledControllers(entries: readonly string[]): ReadonlySet<ControllerName> {
  const unknown: string[] = [];
  const stated = new Map<ControllerName, boolean>();
  for (const entry of entries) {
    if (entry === "*") continue;
    const given = entry.replace(/^-/, "");
    const name = BY_GIVEN_NAME.get(given);
    if (name === undefined) unknown.push(given);
    else if (!stated.has(name)) stated.set(name, entry === given);
  }
  if (unknown.length > 0) {
    const texts = [...new Set(unknown)].map(
      (given) => `${JSON.stringify(given)} is not in the list of known controllers`,
    );
    throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
  }
  const others = entries.includes("*");
  const runs = (name: ControllerName) => stated.get(name) ?? (others && !controllersOffByDefault.includes(name));
  return new Set(controllerNames.filter(runs));
}
