import { reconcileBinding, reconcileRole } from "../../machinery/rbac/reconciliation.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** What `auth reconcile` knows of a kind. */
export interface ReconcileKind {
  readonly compare: typeof reconcileRole;
  readonly isBinding: boolean;
  readonly namespaced: boolean;
  /** How often it is tried when the object comes and goes meanwhile. */
  readonly attempts: number;
}

const role = { compare: reconcileRole, isBinding: false, attempts: 3 };
const binding = { compare: reconcileBinding, isBinding: true, attempts: 4 };
const version = "rbac.authorization.k8s.io/v1";

const OLD_VERSION = /^rbac\.authorization\.k8s\.io\/(v1beta1|v1alpha1)$/;

/** Go's name of the type, where the kind is one of these in a version that is taken no more. */
export function oldType({ apiVersion = "", kind = "" }: KubeObject): string | undefined {
  const name = OLD_VERSION.exec(apiVersion)?.[1];
  return name === undefined || reconcileKinds[`${version}/${kind}`] === undefined ? undefined : `*${name}.${kind}`;
}

/** By "<group version>/<kind>". */
export const reconcileKinds: Readonly<Record<string, ReconcileKind>> = {
  __proto__: null as never,
  [`${version}/Role`]: { ...role, namespaced: true },
  [`${version}/ClusterRole`]: { ...role, namespaced: false },
  [`${version}/RoleBinding`]: { ...binding, namespaced: true },
  [`${version}/ClusterRoleBinding`]: { ...binding, namespaced: false },
};
