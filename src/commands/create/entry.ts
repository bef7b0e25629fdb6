import type { Command, CommandEntry } from "../../cli/command.js";

const leaf = (
  name: string,
  summary: string,
  load: () => Promise<Command>,
  ...aliases: readonly string[]
): CommandEntry => (aliases.length === 0 ? { name, summary, load } : { name, summary, load, aliases });

const secretEntry: CommandEntry = {
  name: "secret",
  summary: "Create a secret of one of three kinds",
  group: {
    use: "secret (docker-registry | generic | tls)",
    description: `Create a secret.

A docker-registry secret is what images are pulled with, a tls secret holds a certificate and its key, and a generic
one whatever it is given.`,
  },
  children: [
    leaf("docker-registry", "Create a secret to pull images with", async () =>
      (await import("./secrets.js")).createRegistrySecretCommand(),
    ),
    leaf("generic", "Create a secret from files, directories or literal values", async () =>
      (await import("./secrets.js")).createGenericSecretCommand(),
    ),
    leaf("tls", "Create a secret of a certificate and its key", async () =>
      (await import("./secrets.js")).createTlsSecretCommand(),
    ),
  ],
};

const serviceEntry: CommandEntry = {
  name: "service",
  aliases: ["svc"],
  summary: "Create a service of one of four types",
  group: { use: "service [flags]", description: "Create a service of one of four types." },
  children: [
    leaf("clusterip", "Create a service with an address inside the cluster", async () =>
      (await import("./services.js")).createClusterIPCommand(),
    ),
    leaf("externalname", "Create a service that stands for a DNS name", async () =>
      (await import("./services.js")).createExternalNameCommand(),
    ),
    leaf("loadbalancer", "Create a service with a load balancer", async () =>
      (await import("./services.js")).createLoadBalancerCommand(),
    ),
    leaf("nodeport", "Create a service with a port on every node", async () =>
      (await import("./services.js")).createNodePortCommand(),
    ),
  ],
};

export const createEntry: CommandEntry = {
  name: "create",
  summary: "Create resources from files or from stdin",
  load: async () => (await import("./create.js")).createCommand(),
  children: [
    leaf("clusterrole", "Create a cluster role", async () => (await import("./roles.js")).createClusterRoleCommand()),
    leaf("clusterrolebinding", "Bind a cluster role everywhere", async () =>
      (await import("./role-bindings.js")).createClusterRoleBindingCommand(),
    ),
    leaf(
      "configmap",
      "Create a config map from files, directories or literal values",
      async () => (await import("./configmap.js")).createConfigMapCommand(),
      "cm",
    ),
    leaf("cronjob", "Create a cron job", async () => (await import("./jobs.js")).createCronJobCommand(), "cj"),
    leaf(
      "deployment",
      "Create a deployment",
      async () => (await import("./deployment.js")).createDeploymentCommand(),
      "deploy",
    ),
    leaf("ingress", "Create an ingress", async () => (await import("./ingress.js")).createIngressCommand(), "ing"),
    leaf("job", "Create a job", async () => (await import("./jobs.js")).createJobCommand()),
    leaf(
      "namespace",
      "Create a namespace",
      async () => (await import("./namespace.js")).createNamespaceCommand(),
      "ns",
    ),
    leaf(
      "poddisruptionbudget",
      "Create a pod disruption budget",
      async () => (await import("./poddisruptionbudget.js")).createPodDisruptionBudgetCommand(),
      "pdb",
    ),
    leaf(
      "priorityclass",
      "Create a priority class",
      async () => (await import("./priorityclass.js")).createPriorityClassCommand(),
      "pc",
    ),
    leaf(
      "quota",
      "Create a resource quota",
      async () => (await import("./quota.js")).createQuotaCommand(),
      "resourcequota",
    ),
    leaf("role", "Create a role", async () => (await import("./roles.js")).createRoleCommand()),
    leaf("rolebinding", "Bind a role or a cluster role in a namespace", async () =>
      (await import("./role-bindings.js")).createRoleBindingCommand(),
    ),
    secretEntry,
    serviceEntry,
    leaf(
      "serviceaccount",
      "Create a service account",
      async () => (await import("./service-accounts.js")).createServiceAccountCommand(),
      "sa",
    ),
    leaf("token", "Ask for a token of a service account", async () =>
      (await import("./service-accounts.js")).createTokenCommand(),
    ),
  ],
};
