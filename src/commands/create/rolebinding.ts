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
import { readSubjects, roleRef, subjectFlags, type SubjectOptions, subjects } from "./subjects.js";

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
