import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";
import { completeNames } from "../../cli/completion/resource-completers.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

export interface CreateRoleBindingOptions extends GeneratedOptions, SubjectOptions {
  /** One of the two is "". */
  readonly clusterRole: string;
  readonly role: string;
}

export function createRoleBindingCommand(run = runCreateRoleBinding): Command {
  return {
    use: "rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    description: "Create a role binding: who may do, in a namespace, what a role or a cluster role allows.",
    examples: `# Two users and a group have the cluster role admin in the namespace
{{program}} create rolebinding admin --clusterrole=admin --user=user1 --user=user2 --group=group1

# A service account has the role admin
{{program}} create rolebinding admin-binding --role=admin --serviceaccount=monitoring:sa-dev`,
    flags: [
      ...generatedFlags,
      { name: "clusterrole", type: "string", usage: "Cluster role to bind" },
      { name: "role", type: "string", usage: "Role to bind" },
      ...subjectFlags,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<CreateRoleBindingOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    ...readSubjects(flags),
    clusterRole: flags.string("clusterrole"),
    role: flags.string("role"),
  };
  requireName(options);
  if ((options.clusterRole === "") === (options.role === "")) {
    throw new Error("exactly one of clusterrole or role must be specified");
  }
  return options;
}

export async function runCreateRoleBinding(options: CreateRoleBindingOptions): Promise<void> {
  const { role, clusterRole } = options;
  const object = {
    kind: "RoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: namespacedMetadata(options),
    subjects: subjects(options),
    roleRef: role === "" ? roleRef("ClusterRole", clusterRole) : roleRef("Role", role),
  };
  await createGenerated(object, options, "failed to create rolebinding:");
}

export interface CreateClusterRoleBindingOptions extends GeneratedOptions, SubjectOptions {
  readonly clusterRole: string;
}

export function createClusterRoleBindingCommand(run = runCreateClusterRoleBinding): Command {
  return {
    use: "clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    description: "Create a cluster role binding: who may do, everywhere, what a cluster role allows.",
    examples: `# Two users and a group have the cluster role cluster-admin
{{program}} create clusterrolebinding cluster-admin --clusterrole=cluster-admin --user=user1 --user=user2 --group=group1`,
    flags: [
      ...generatedFlags,
      { name: "clusterrole", type: "string", required: true, usage: "Cluster role to bind" },
      ...subjectFlags,
    ],
    execute: async (factory, invocation) => {
      const { flags } = invocation;
      const options = await completeGenerated(factory, invocation);
      await run({ ...options, ...readSubjects(flags), clusterRole: flags.string("clusterrole") });
    },
    completeFlags: { clusterrole: completeNames("clusterrole") },
  };
}

export async function runCreateClusterRoleBinding(options: CreateClusterRoleBindingOptions): Promise<void> {
  const object = {
    kind: "ClusterRoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: { name: options.name },
    subjects: subjects(options),
    roleRef: roleRef("ClusterRole", options.clusterRole),
  };
  await createGenerated(object, options, "failed to create clusterrolebinding:");
}

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
