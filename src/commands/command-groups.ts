import type { CommandEntry, Command } from "../cli/command.js";

// The commands that only group others; those of many commands have an entry.ts in their folders.

const leaf = (name: string, summary: string, load: () => Promise<Command>): CommandEntry => ({ name, summary, load });

export const applyEntry: CommandEntry = {
  name: "apply",
  summary: "Make resources what a file or stdin says they are",
  load: async () => (await import("./apply/apply.js")).applyCommand(),
  children: [
    {
      name: "view-last-applied",
      summary: "Show what was applied to resources last",
      load: async () => (await import("./apply/view-last-applied.js")).viewLastAppliedCommand(),
    },
    {
      name: "set-last-applied",
      summary: "Record a file as what was applied last",
      load: async () => (await import("./apply/set-last-applied.js")).setLastAppliedCommand(),
    },
    {
      name: "edit-last-applied",
      summary: "Edit the record of what was applied last",
      load: async () => (await import("./apply/edit-last-applied.js")).editLastAppliedCommand(),
    },
  ],
};

export const authEntry: CommandEntry = {
  name: "auth",
  summary: "Look into who is allowed what",
  group: {
    use: "auth [flags]",
    description: "Look into who is allowed what, and bring roles and bindings in line with files.",
  },
  children: [
    {
      name: "can-i",
      summary: "Ask whether something is allowed",
      load: async () => (await import("./auth/can-i.js")).canICommand(),
    },
    {
      name: "reconcile",
      summary: "Bring roles and bindings in line with a file",
      load: async () => (await import("./auth/reconcile.js")).reconcileCommand(),
    },
    {
      name: "whoami",
      summary: "Show as whom the server knows you",
      load: async () => (await import("./auth/whoami.js")).whoAmICommand(),
    },
  ],
};

export const certificateEntry: CommandEntry = {
  name: "certificate",
  summary: "Approve and deny requests for certificates",
  group: {
    use: "certificate SUBCOMMAND",
    description: "Approve and deny requests for certificates.",
    bare: { stream: "out", code: 0, takesOperands: true },
  },
  children: [
    {
      name: "approve",
      summary: "Approve a request for a certificate",
      load: async () => (await import("./certificate/decide.js")).approveCommand(),
    },
    {
      name: "deny",
      summary: "Deny a request for a certificate",
      load: async () => (await import("./certificate/decide.js")).denyCommand(),
    },
  ],
};

/** The entry of `envtest`, which kubectl does not have. The programs that envtest starts are hidden commands below it. */
export const envtestEntry: CommandEntry = {
  name: "envtest",
  section: "Cluster Management Commands:",
  summary: "Take the place of the binaries of Go's envtest",
  load: async () => (await import("./envtest/envtest.js")).envtestCommand(),
  children: [
    {
      name: "kube-apiserver",
      hidden: true,
      summary: "Serve the API in the place of kube-apiserver",
      load: async () => (await import("./envtest/kube-apiserver.js")).kubeApiserverCommand(),
    },
    {
      name: "etcd",
      hidden: true,
      summary: "Answer health checks in the place of etcd",
      load: async () => (await import("./envtest/etcd.js")).etcdCommand(),
    },
  ],
};

export const kubercEntry: CommandEntry = {
  name: "kuberc",
  summary: "Look at preferences and change them",
  group: {
    use: "kuberc SUBCOMMAND",
    description: `Look at your preferences and change them.

 They are kept in ~/.kube/kuberc: default values of flags, commands of your own made of those there are, and which credential plugins may run.`,
    examples: `# Show the preferences
{{program}} kuberc view

# Let get print more columns unless it is told otherwise
{{program}} kuberc set --section defaults --command get --option output=wide

# Make a command that lists nodes
{{program}} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide`,
  },
  children: [
    {
      name: "view",
      summary: "Show the preferences",
      load: async () => (await import("./kuberc/view.js")).viewCommand(),
    },
    {
      name: "set",
      summary: "Set defaults, an alias or the policy for credential plugins",
      load: async () => (await import("./kuberc/set.js")).setCommand(),
    },
  ],
};

export const pluginEntry: CommandEntry = {
  name: "plugin",
  summary: "See which plugins there are",
  group: {
    use: "plugin [flags]",
    description: `See which plugins there are.

A plugin is a program on PATH whose name begins with "kubectl-": what follows is the command that runs it. The program "kubectl-my_tool" is run
by "{{program}} my-tool". Krew finds and installs plugins that others have made: https://krew.sigs.k8s.io.`,
    examples: `# All plugins
{{program}} plugin list

# Their names, without the folders
{{program}} plugin list --name-only`,
  },
  children: [
    {
      name: "list",
      summary: "List the plugins on PATH",
      load: async () => (await import("./plugin/list.js")).pluginListCommand(),
    },
  ],
};

export const rolloutEntry: CommandEntry = {
  name: "rollout",
  summary: "Follow, pause, repeat and undo the rollout of a resource",
  group: {
    use: "rollout SUBCOMMAND",
    description: "Follow, pause, repeat and undo the rollout of deployments, daemonsets and statefulsets.",
    examples: `# Go back to what a deployment was before
{{program}} rollout undo deployment/abc

# Wait until a daemonset is rolled out
{{program}} rollout status daemonset/foo

# Start the pods of a deployment anew
{{program}} rollout restart deployment/abc

# The same for all deployments with the label app=nginx
{{program}} rollout restart deployment --selector=app=nginx`,
    bare: { stream: "out", code: 1 },
  },
  children: [
    leaf("history", "Show the revisions of a resource", async () =>
      (await import("./rollout/history.js")).historyCommand(),
    ),
    leaf("pause", "Hold back the rollout of a resource", async () =>
      (await import("./rollout/change.js")).pauseCommand(),
    ),
    leaf("restart", "Start the pods of a resource anew", async () =>
      (await import("./rollout/change.js")).restartCommand(),
    ),
    leaf("resume", "Let a paused rollout go on", async () => (await import("./rollout/change.js")).resumeCommand()),
    leaf("status", "Show how far a rollout is", async () => (await import("./rollout/status.js")).statusCommand()),
    leaf("undo", "Go back to an earlier revision", async () => (await import("./rollout/undo.js")).undoCommand()),
  ],
};

export const setEntry: CommandEntry = {
  name: "set",
  summary: "Set single features of objects",
  group: {
    use: "set SUBCOMMAND",
    description: `Change one thing about objects that exist: images, resources, variables and the like.`,
  },
  children: [
    leaf("image", "Set the images of a pod template", async () => (await import("./set/image.js")).setImageCommand()),
    leaf("resources", "Set requests and limits in a pod template", async () =>
      (await import("./set/resources.js")).setResourcesCommand(),
    ),
    leaf("selector", "Set the selector of a service", async () =>
      (await import("./set/selector.js")).setSelectorCommand(),
    ),
    leaf("subject", "Add users, groups and service accounts to a role binding", async () =>
      (await import("./set/subject.js")).setSubjectCommand(),
    ),
    {
      ...leaf("serviceaccount", "Set the service account of a pod template", async () =>
        (await import("./set/service-account.js")).setServiceAccountCommand(),
      ),
      aliases: ["sa"],
    },
    leaf("env", "Set environment variables in a pod template", async () =>
      (await import("./set/env.js")).setEnvCommand(),
    ),
  ],
};

/** The entry of `storage` and its subcommands, which kubectl does not have. */
export const storageEntry: CommandEntry = {
  name: "storage",
  section: "Cluster Management Commands:",
  summary: "Look into what servers store, or move it",
  yields: true,
  group: {
    use: "storage SUBCOMMAND",
    description: "Look into what servers store, without a server, or move it to another storage.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    {
      name: "list",
      summary: "List the keys of a storage",
      load: async () => (await import("./storage/list.js")).storageListCommand(),
    },
    {
      name: "get",
      summary: "Print the object under a key",
      load: async () => (await import("./storage/get.js")).storageGetCommand(),
    },
    {
      name: "check",
      summary: "Decode every value of a storage, and name the damaged ones",
      load: async () => (await import("./storage/check.js")).storageCheckCommand(),
    },
    {
      name: "migrate",
      summary: "Copy a storage into another one",
      load: async () => (await import("./storage/migrate.js")).storageMigrateCommand(),
    },
  ],
};

export const topEntry: CommandEntry = {
  name: "top",
  summary: "Show how much processor time and memory is used",
  suggestFor: ["stats"],
  group: {
    use: "top [flags]",
    description: `Show how much processor time and memory nodes and pods used lately.

The numbers are those of the metrics API, which scales pods too. A cluster has it when a Metrics Server runs in it.`,
  },
  children: [
    {
      name: "node",
      aliases: ["nodes", "no"],
      summary: "Show what nodes use",
      load: async () => (await import("./top/node.js")).topNodeCommand(),
    },
    {
      name: "pod",
      aliases: ["pods", "po"],
      summary: "Show what pods use",
      load: async () => (await import("./top/pod.js")).topPodCommand(),
    },
  ],
};

/** The entry of `project` and its subcommands, which kubectl does not have. */
export const projectEntry: CommandEntry = {
  name: "project",
  section: "Cluster Management Commands:",
  summary: "Begin and build operators in TypeScript",
  yields: true,
  group: {
    use: "project SUBCOMMAND",
    description: "Begin an operator in TypeScript, and write the manifests that follow from its code.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    {
      name: "new",
      summary: "Begin a project",
      load: async () => (await import("./project/new.js")).projectNewCommand(),
    },
    {
      name: "add",
      summary: "Add a kind to a project",
      load: async () => (await import("./project/add.js")).projectAddCommand(),
    },
    {
      name: "generate",
      summary: "Write the manifests that follow from a project's code",
      load: async () => (await import("./project/generate.js")).projectGenerateCommand(),
    },
  ],
};
