import type { Invocation } from "../../cli/command.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

// Who a role is bound to.

const RBAC = "rbac.authorization.k8s.io";

export interface SubjectOptions {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** "namespace:name". */
  readonly serviceAccounts: readonly string[];
}

export interface Subject {
  readonly kind: "User" | "Group" | "ServiceAccount";
  readonly apiGroup?: string;
  readonly namespace?: string;
  readonly name: string;
}

export const subjectFlags: readonly FlagSpec[] = [
  { name: "user", type: "stringArray", usage: "User to bind to the role; repeat it for more" },
  { name: "group", type: "stringArray", usage: "Group to bind to the role; repeat it for more" },
  {
    name: "serviceaccount",
    type: "stringArray",
    usage: "Service account to bind to the role, as namespace:name; repeat it for more",
  },
];

export const readSubjects = (flags: Invocation["flags"]): SubjectOptions => ({
  users: flags.strings("user"),
  groups: flags.strings("group"),
  serviceAccounts: flags.strings("serviceaccount"),
});

/** Throws for a service account that is not written as namespace:name. */
export function subjects({ users, groups, serviceAccounts }: SubjectOptions): readonly Subject[] {
  return [
    ...users.map((name): Subject => ({ kind: "User", apiGroup: RBAC, name })),
    ...groups.map((name): Subject => ({ kind: "Group", apiGroup: RBAC, name })),
    ...serviceAccounts.map((text): Subject => {
      const [namespace = "", name = "", ...more] = text.split(":");
      if (namespace === "" || name === "" || more.length > 0) {
        throw new Error("serviceaccount must be <namespace>:<name>");
      }
      return { kind: "ServiceAccount", namespace, name };
    }),
  ];
}

export const roleRef = (kind: "Role" | "ClusterRole", name: string): object => ({ apiGroup: RBAC, kind, name });
