import { TypedClient } from "../../actions/typed/typed-client.js";
import type { TypedKinds } from "../../actions/typed/typed-object.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Reconciliation } from "../../machinery/rbac/reconciliation.js";
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { reconcileBinding } from "../../machinery/rbac/reconcile-binding.js";
import { reconcileRole } from "../../machinery/rbac/reconcile-role.js";

export interface ReconcileSettings {
  readonly client: RestClient;
  readonly kinds: TypedKinds;
  readonly dryRun: boolean;
  /** Takes away what `wanted` does not have. */
  readonly removeExtra: boolean;
}

/** How often a write is tried that another client's write comes before. */
const CONFLICTS = 3;

/** Makes the live object what `wanted` says, and answers with what that took and what it is now. */
export async function reconcile(
  wanted: KubeObject,
  kind: ReconcileKind,
  settings: ReconcileSettings,
): Promise<Reconciliation> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(wanted, kind, settings);
    } catch (error) {
      if (!isConflict(error) || tries === CONFLICTS) throw error;
    }
  }
}

async function attempt(wanted: KubeObject, kind: ReconcileKind, settings: ReconcileSettings): Promise<Reconciliation> {
  const { client, kinds, dryRun, removeExtra } = settings;
  const { apiVersion = "", kind: kindName = "", metadata } = wanted;
  const objects = new TypedClient(client, kinds, { apiVersion, kind: kindName });
  const namespace = kind.namespaced ? (metadata?.namespace ?? "") : undefined;
  for (let tries = 0; tries < kind.attempts; tries += 1) {
    const live = await objects.get(namespace ?? "", metadata?.name ?? "").catch(unless(isNotFound));
    const outcome = kind.compare(live, wanted, removeExtra);
    if (outcome.isProtected || dryRun || outcome.operation === "none") return outcome;
    const object = await write(outcome, live, namespace, objects, settings);
    if (object !== undefined) return { ...outcome, object };
  }
  throw new Error("exceeded maximum attempts");
}

/** Undefined when the object came or went since it was looked at. */
async function write(
  { operation, object }: Reconciliation,
  live: KubeObject | undefined,
  /** Undefined where the kind has none. */
  namespace: string | undefined,
  objects: TypedClient,
  settings: ReconcileSettings,
): Promise<KubeObject | undefined> {
  if (operation === "update") return objects.update(namespace ?? "", object).catch(unless(isNotFound));
  if (operation === "recreate") {
    const { name = "", uid = "" } = live?.metadata ?? {};
    const isAnother = await objects.delete(namespace ?? "", name, uid).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        if (isConflict(error)) return true;
        throw error;
      },
    );
    if (isAnother) return undefined;
  }
  if (namespace !== undefined) await ensureNamespace(namespace, settings);
  return objects.create(namespace ?? "", object).catch(unless(isAlreadyExists));
}

/** Failures are ignored: a user who writes roles need not be allowed to see namespaces. */
async function ensureNamespace(name: string, { client, kinds }: ReconcileSettings): Promise<void> {
  const namespaces = new TypedClient(client, kinds, { apiVersion: "v1", kind: "Namespace" });
  const found = await namespaces.get("", name).catch(unless(isNotFound, isForbidden));
  if (found !== undefined) return;
  await namespaces.create("", { metadata: { name } }).catch(unless(isAlreadyExists, isForbidden));
}

type ErrorPredicate = (error: unknown) => boolean;

/** Lets pass what one of the predicates expects. */
const unless =
  (...expected: readonly ErrorPredicate[]) =>
  (error: unknown): undefined => {
    if (!expected.some((isExpected) => isExpected(error))) throw error;
  };

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
