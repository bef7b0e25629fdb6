import type { Command } from "../../cli/command.js";
import { completeNames } from "../../cli/completion/resource-completers.js";
import { completeGenerated, createGenerated, generatedFlags, type GeneratedOptions } from "./generated.js";
import { readSubjects, roleRef, subjectFlags, type SubjectOptions, subjects } from "./subjects.js";

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
