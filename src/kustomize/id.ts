import { isClusterScoped } from "./merge/merge-schema.js";

/** Group, version and kind; "" where one is not given. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The identity of an object. `clusterScoped` is true only where the kind was looked up and has no namespace. */
export interface ResId extends Gvk {
  readonly name: string;
  readonly namespace: string;
  readonly clusterScoped: boolean;
}

export const noGvk: Gvk = { group: "", version: "", kind: "" };

export const apiVersionOf = ({ group, version }: Gvk): string => (group === "" ? version : `${group}/${version}`);

export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const at = apiVersion.indexOf("/");
  return at < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

/** Makes an id, for which it looks up whether the kind has namespaces. */
export const lookedUpId = (gvk: Gvk, name: string, namespace: string): ResId => ({
  ...gvk,
  name,
  namespace,
  clusterScoped: isClusterScoped(apiVersionOf(gvk), gvk.kind),
});

export const gvkEquals = (a: Gvk, b: Gvk): boolean =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;

/** Whether a selector's non-empty parts agree. */
export const isSelected = (gvk: Gvk, selector: Gvk): boolean =>
  (selector.group === "" || selector.group === gvk.group) &&
  (selector.version === "" || selector.version === gvk.version) &&
  (selector.kind === "" || selector.kind === gvk.kind);

/** kustomize's placeholder for the namespace of an object that has none. */
export const NO_NAMESPACE = "_non_namespaceable_";

export function effectiveNamespace({ clusterScoped, namespace }: ResId): string {
  if (clusterScoped) return NO_NAMESPACE;
  return namespace === "" ? "default" : namespace;
}

export const sameNamespace = (a: ResId, b: ResId): boolean => effectiveNamespace(a) === effectiveNamespace(b);
export const nameAndKindEqual = (a: ResId, b: ResId): boolean => a.name === b.name && gvkEquals(a, b);
export const idEquals = (a: ResId, b: ResId): boolean => sameNamespace(a, b) && nameAndKindEqual(a, b);

/** Whether two ids are equal in every field, also in how the namespace is written. */
export const identical = (a: ResId, b: ResId): boolean =>
  nameAndKindEqual(a, b) && a.namespace === b.namespace && a.clusterScoped === b.clusterScoped;

const or = (text: string, none: string): string => (text === "" ? none : text);

/** Formats a group, version and kind: "Deployment.v1.apps". */
export const gvkText = ({ group, version, kind }: Gvk): string =>
  `${or(kind, "[noKind]")}.${or(version, "[noVer]")}.${or(group, "[noGrp]")}`;

/** Formats the id of an object: "Deployment.v1.apps/web.shop". */
export const idText = (id: ResId): string => `${gvkText(id)}/${or(id.name, "[noName]")}.${or(id.namespace, "[noNs]")}`;

/** The id in the form of Go's %#v. */
export const idSharpV = ({ group, version, kind, clusterScoped, name, namespace }: ResId): string =>
  `resid.ResId{Gvk:resid.Gvk{Group:${JSON.stringify(group)}, Version:${JSON.stringify(version)}, Kind:${JSON.stringify(kind)}, isClusterScoped:${clusterScoped}}, Name:${JSON.stringify(name)}, Namespace:${JSON.stringify(namespace)}}`;

const ORDER_FIRST =
  "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role ClusterRole RoleBinding ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange PriorityClass PersistentVolume PersistentVolumeClaim Deployment StatefulSet CronJob PodDisruptionBudget".split(
    " ",
  );
const ORDER_LAST = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** The default order in which kinds are created. */
export const DEFAULT_ORDER = { orderFirst: ORDER_FIRST, orderLast: ORDER_LAST };

export type Rank = ReadonlyMap<string, number>;

/** Ranks kinds: negative numbers for those that come first, positive ones for those that come last. */
export const rankOf = ({
  orderFirst,
  orderLast,
}: {
  readonly orderFirst: readonly string[];
  readonly orderLast: readonly string[];
}): Rank =>
  new Map([
    ...orderFirst.map((kind, index) => [kind, index - orderFirst.length] as const),
    ...orderLast.map((kind, index) => [kind, index + 1] as const),
  ]);

const defaultRank = rankOf(DEFAULT_ORDER);
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const gvkKey = ({ group, version, kind }: Gvk): string =>
  `${or(group, "~G")}_${or(version, "~V")}_${or(kind, "~K")}`;

export const compareGvk = (a: Gvk, b: Gvk): number =>
  (defaultRank.get(a.kind) ?? 0) - (defaultRank.get(b.kind) ?? 0) || byText(gvkKey(a), gvkKey(b));
