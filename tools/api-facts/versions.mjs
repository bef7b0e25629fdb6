// What the data of a version of Kubernetes do not tell, by version.

/** The versions that a server can be, the newest first. tools/api-data has two files of each. */
export const VERSIONS = ["1.37", "1.36"];

/** The version whose types are in `kubets/api`. */
export const NEWEST_VERSION = VERSIONS[0];

/** The group versions in the order of kube-apiserver's priorities, highest first. */
export const GROUPS_OF = {
  1.36: groups([
    ["", "v1"],
    ["apiregistration.k8s.io", "v1"],
    ["apps", "v1"],
    ["events.k8s.io", "v1"],
    ["authentication.k8s.io", "v1 v1beta1 v1alpha1"],
    ["authorization.k8s.io", "v1"],
    ["autoscaling", "v2 v1"],
    ["batch", "v1"],
    ["certificates.k8s.io", "v1 v1beta1 v1alpha1"],
    ["networking.k8s.io", "v1 v1beta1"],
    ["policy", "v1"],
    ["rbac.authorization.k8s.io", "v1"],
    ["storage.k8s.io", "v1 v1beta1"],
    ["admissionregistration.k8s.io", "v1 v1beta1 v1alpha1"],
    ["apiextensions.k8s.io", "v1"],
    ["scheduling.k8s.io", "v1 v1alpha2"],
    ["coordination.k8s.io", "v1 v1beta1 v1alpha2"],
    ["node.k8s.io", "v1"],
    ["discovery.k8s.io", "v1"],
    ["resource.k8s.io", "v1 v1beta2 v1beta1 v1alpha3"],
    ["flowcontrol.apiserver.k8s.io", "v1"],
    ["internal.apiserver.k8s.io", "v1alpha1"],
    ["storagemigration.k8s.io", "v1beta1"],
  ]),
  1.37: groups([
    ["", "v1"],
    ["apiregistration.k8s.io", "v1"],
    ["apps", "v1"],
    ["events.k8s.io", "v1"],
    ["authentication.k8s.io", "v1 v1beta1 v1alpha1"],
    ["authorization.k8s.io", "v1"],
    ["autoscaling", "v2 v1"],
    ["batch", "v1"],
    ["certificates.k8s.io", "v1 v1beta1"],
    ["networking.k8s.io", "v1"],
    ["policy", "v1"],
    ["rbac.authorization.k8s.io", "v1"],
    ["storage.k8s.io", "v1"],
    ["admissionregistration.k8s.io", "v1 v1beta1 v1alpha1"],
    ["apiextensions.k8s.io", "v1"],
    ["scheduling.k8s.io", "v1 v1beta1 v1alpha3"],
    ["coordination.k8s.io", "v1 v1beta1 v1alpha2"],
    ["node.k8s.io", "v1"],
    ["discovery.k8s.io", "v1"],
    ["resource.k8s.io", "v1 v1beta2 v1beta1 v1alpha3"],
    ["flowcontrol.apiserver.k8s.io", "v1"],
    ["internal.apiserver.k8s.io", "v1alpha1"],
    ["storagemigration.k8s.io", "v1 v1beta1"],
    ["lifecycle.k8s.io", "v1alpha1"],
  ]),
};

function groups(list) {
  return list.map(([name, versions]) => ({ name, versions: versions.split(" ") }));
}

/** The kinds that are stored in the version of another group: Events are core objects. */
const STORED_IN_OTHER_GROUP = { "events.k8s.io/events": "/v1/Event" };

/** The versions that are stored against the rule of {@link storedKind}, which 1.36 states in code. */
const STORED_AS = { 1.36: { "resource.k8s.io/devicetaintrules": "v1alpha3" } };

const minorOf = (version) => Number((version ?? "1.0").split(".")[1]);

/**
 * The "group/version/Kind" in which kube-apiserver stores a resource: the first version in the order of priority that is not alpha and that
 * the version before knows already; else the first that there is. `introduced` is by version.
 */
export function storedKind({ kubernetes, groups }, { group, plural, kind }, introduced) {
  const key = `${group}/${plural}`;
  if (STORED_IN_OTHER_GROUP[key] !== undefined) return STORED_IN_OTHER_GROUP[key];
  const order = groups.find(({ name }) => name === group)?.versions ?? [];
  const known = order.filter((version) => introduced.has(version));
  const compatible = minorOf(kubernetes) - 1;
  const first = known.find((version) => !version.includes("alpha") && minorOf(introduced.get(version)) <= compatible);
  return `${group}/${STORED_AS[kubernetes]?.[key] ?? first ?? known[0]}/${kind}`;
}
