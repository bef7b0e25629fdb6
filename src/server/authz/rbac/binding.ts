import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { RoleBinding } from "../../../api/types/rbac/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { User } from "../../request/user.js";
import { readSubject, type Subject } from "../../../machinery/rbac/reconciliation.js";

/** A RoleBinding, or a ClusterRoleBinding, whose namespace is "". */
export interface Binding {
  /** Orders bindings as their keys in the store do. */
  readonly key: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly BoundSubject[];
  /** `ClusterRoleBinding "x" of ClusterRole "y" to `, made once, because each request that the binding allows says it. */
  readonly text: string;
}

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface BoundSubject {
  /** Equal for subjects that name the same users: one of {@link keysOf} of each of them. Undefined for one that names no user. */
  readonly key: string | undefined;
  /** `Group "devs"` */
  readonly text: string;
}

export function readBinding(binding: KubeObject): Binding {
  const { name = "", namespace = "" } = binding.metadata ?? {};
  const roleRef = readRoleRef(binding);
  const source = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
  const id = namespace === "" ? name : `${name}/${namespace}`;
  return {
    key: `${namespace}/${name}`,
    namespace,
    roleRef,
    text: `${source} ${goQuote(id)} of ${roleRef.kind} ${goQuote(roleRef.name)} to `,
    subjects: objects(binding["subjects"]).map((subject) => readBound(readSubject(subject), namespace)),
  };
}

export function readRoleRef({ roleRef }: FieldsOf<RoleBinding>): RoleRef {
  const { kind, name }: FieldsOf<RoleRef> = object(roleRef);
  return { kind: text(kind), name: text(name) };
}

function readBound({ kind, name, namespace: own }: Subject, bindingNamespace: string): BoundSubject {
  if (kind !== "ServiceAccount") {
    const key = kind === "User" ? userKey(name) : kind === "Group" ? groupKey(name) : undefined;
    return { key, text: `${kind} ${goQuote(name)}` };
  }
  const namespace = own === "" ? bindingNamespace : own;
  return {
    key: namespace === "" ? undefined : userKey(`system:serviceaccount:${namespace}:${name}`),
    text: `${kind} ${goQuote(`${name}/${namespace}`)}`,
  };
}

/** The keys of the subjects that are this user or one of its groups. */
export const keysOf = ({ name, groups }: User): readonly string[] => [userKey(name), ...groups.map(groupKey)];

const userKey = (name: string): string => `u:${name}`;
const groupKey = (name: string): string => `g:${name}`;

/** The reason that a binding grants its role to the user: `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`. */
export function bindingText({ text: source, subjects }: Binding, user: User): string {
  const keys = keysOf(user);
  const subject = subjects.find(({ key }) => key !== undefined && keys.includes(key));
  return source + (subject?.text ?? "");
}
