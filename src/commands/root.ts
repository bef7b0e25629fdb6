import type { CommandEntry } from "../cli/command.js";
import { clusterEntry } from "./cluster/entry.js";
import { configEntry } from "./config/entry.js";

const BEGINNER = "Basic Commands (Beginner):";
const INTERMEDIATE = "Basic Commands (Intermediate):";
const MANAGEMENT = "Cluster Management Commands:";
const TROUBLESHOOTING = "Troubleshooting and Debugging Commands:";
const ADVANCED = "Advanced Commands:";
const SETTINGS = "Settings Commands:";

/**
 * Every command the program has: names and summaries only, so that help and completion load nothing else. The order is
 * kubectl's own: sections as its help shows them, then the rest as it adds them (suggestions come in this order).
 */
export const root: CommandEntry = {
  name: "kubectl",
  summary: "Work with a Kubernetes cluster",
  group: {
    use: "kubectl [flags]",
    description: "{{program}} works with Kubernetes clusters: it shows, creates, changes and deletes what they hold.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    {
      name: "create",
      section: BEGINNER,
      summary: "Create resources from files or from stdin",
      load: async () => (await import("./create/create.js")).createCommand(),
    },
    {
      name: "get",
      section: INTERMEDIATE,
      summary: "Show one or many resources",
      suggestFor: ["list", "ls"],
      load: async () => (await import("./get/get.js")).getCommand(),
    },
    {
      name: "delete",
      section: INTERMEDIATE,
      summary: "Delete resources by file, by name, or by type and selector",
      suggestFor: ["rm", "remove"],
      load: async () => (await import("./delete/delete.js")).deleteCommand(),
    },
    {
      name: "cluster-info",
      section: MANAGEMENT,
      summary: "Show where the control plane and its services answer",
      load: async () => (await import("./cluster-info/cluster-info.js")).clusterInfoCommand(),
    },
    {
      name: "describe",
      section: TROUBLESHOOTING,
      summary: "Show details of a resource or of several",
      suggestFor: ["inspect"],
      load: async () => (await import("./describe/describe.js")).describeCommand(),
    },
    {
      name: "apply",
      section: ADVANCED,
      summary: "Make resources what a file or stdin says they are",
      load: async () => (await import("./apply/apply.js")).applyCommand(),
    },
    {
      name: "completion",
      section: SETTINGS,
      summary: "Print the completion code of a shell (bash, zsh, fish or powershell)",
      load: async () => (await import("./completion/completion.js")).completionCommand(),
    },
    clusterEntry,
    configEntry,
    {
      name: "version",
      summary: "Print the versions of client and server",
      load: async () => (await import("./version/version.js")).versionCommand(),
    },
    {
      name: "api-versions",
      summary: 'Print the API versions of the server as "group/version"',
      load: async () => (await import("./api-versions/api-versions.js")).apiVersionsCommand(),
    },
    {
      name: "api-resources",
      summary: "Print the resource types of the server",
      load: async () => (await import("./api-resources/api-resources.js")).apiResourcesCommand(),
    },
    {
      name: "options",
      summary: "Print the flags that every command takes",
      load: async () => (await import("./options/options.js")).optionsCommand(),
    },
    {
      name: "help",
      summary: "Show help for a command",
      hidden: true,
      load: async () => (await import("./help/help.js")).helpCommand(),
    },
  ],
};
