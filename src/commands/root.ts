import type { CommandEntry } from "../cli/command.js";
import {
  applyEntry,
  authEntry,
  certificateEntry,
  envtestEntry,
  kubercEntry,
  pluginEntry,
  rolloutEntry,
  setEntry,
  projectEntry,
  storageEntry,
  topEntry,
} from "./command-groups.js";
import { clusterEntry } from "./cluster/entry.js";
import { configEntry } from "./config/entry.js";
import { createEntry } from "./create/entry.js";

const BEGINNER = "Basic Commands (Beginner):";
const INTERMEDIATE = "Basic Commands (Intermediate):";
const DEPLOY = "Deploy Commands:";
const MANAGEMENT = "Cluster Management Commands:";
const TROUBLESHOOTING = "Troubleshooting and Debugging Commands:";
const ADVANCED = "Advanced Commands:";
const SETTINGS = "Settings Commands:";

/**
 * Every command of the program, with name and summary alone, so that help and completion load nothing else. The order is
 * kubectl's: sections as its help shows them, then the rest as it adds them, in which order suggestions come.
 */
export const root: CommandEntry = {
  name: "kubectl",
  summary: "Work with a Kubernetes cluster",
  group: {
    use: "kubectl [flags]",
    description:
      "{{program}} works with Kubernetes clusters: it shows, creates, changes and deletes what they hold. {{program}} --version prints which kubets it is.",
    bare: { stream: "out", code: 0 },
  },
  children: [
    { ...createEntry, section: BEGINNER },
    {
      name: "expose",
      section: BEGINNER,
      summary: "Make a service for what a resource runs",
      load: async () => (await import("./expose/expose.js")).exposeCommand(),
    },
    {
      name: "run",
      section: BEGINNER,
      summary: "Run an image in a pod",
      load: async () => (await import("./run/run.js")).runCommand(),
    },
    { ...setEntry, section: BEGINNER },
    {
      name: "explain",
      section: INTERMEDIATE,
      summary: "Show what a resource is made of",
      load: async () => (await import("./explain/explain.js")).explainCommand(),
    },
    {
      name: "get",
      section: INTERMEDIATE,
      summary: "Show one or many resources",
      suggestFor: ["list", "ls"],
      load: async () => (await import("./get/get.js")).getCommand(),
    },
    {
      name: "edit",
      section: INTERMEDIATE,
      summary: "Edit resources of the server in an editor",
      load: async () => (await import("./edit/edit.js")).editCommand(),
    },
    {
      name: "delete",
      section: INTERMEDIATE,
      summary: "Delete resources by file, by name, or by type and selector",
      suggestFor: ["rm", "remove"],
      load: async () => (await import("./delete/delete.js")).deleteCommand(),
    },
    { ...rolloutEntry, section: DEPLOY },
    {
      name: "scale",
      section: DEPLOY,
      summary: "Set how many pods a resource has",
      load: async () => (await import("./scale/scale.js")).scaleCommand(),
    },
    {
      name: "autoscale",
      section: DEPLOY,
      summary: "Let the cluster choose how many pods a resource has",
      load: async () => (await import("./autoscale/autoscale.js")).autoscaleCommand(),
    },
    { ...certificateEntry, section: MANAGEMENT },
    {
      name: "cluster-info",
      section: MANAGEMENT,
      summary: "Show where the control plane and its services answer",
      load: async () => (await import("./cluster-info/cluster-info.js")).clusterInfoCommand(),
      children: [
        {
          name: "dump",
          summary: "Print what helps to find out what is wrong with a cluster",
          load: async () => (await import("./cluster-info/dump.js")).clusterInfoDumpCommand(),
        },
      ],
    },
    { ...topEntry, section: MANAGEMENT },
    {
      name: "cordon",
      section: MANAGEMENT,
      summary: "Make a node unschedulable",
      load: async () => (await import("./drain/schedulability.js")).cordonCommand(),
    },
    {
      name: "uncordon",
      section: MANAGEMENT,
      summary: "Make a node schedulable again",
      load: async () => (await import("./drain/schedulability.js")).uncordonCommand(),
    },
    {
      name: "drain",
      section: MANAGEMENT,
      summary: "Empty a node, for instance before its machine is worked on",
      load: async () => (await import("./drain/drain.js")).drainCommand(),
    },
    {
      name: "taint",
      section: MANAGEMENT,
      summary: "Set and remove taints of nodes",
      load: async () => (await import("./taint/taint.js")).taintCommand(),
    },
    {
      name: "describe",
      section: TROUBLESHOOTING,
      summary: "Show details of a resource or of several",
      suggestFor: ["inspect"],
      load: async () => (await import("./describe/describe.js")).describeCommand(),
    },
    {
      name: "logs",
      section: TROUBLESHOOTING,
      summary: "Print the log of a container in a pod",
      load: async () => (await import("./logs/logs.js")).logsCommand(),
    },
    {
      name: "attach",
      section: TROUBLESHOOTING,
      summary: "Attach to a running container",
      load: async () => (await import("./attach/attach.js")).attachCommand(),
    },
    {
      name: "exec",
      section: TROUBLESHOOTING,
      summary: "Run a command in a container",
      load: async () => (await import("./exec/exec.js")).execCommand(),
    },
    {
      name: "port-forward",
      section: TROUBLESHOOTING,
      summary: "Forward local ports to a pod",
      load: async () => (await import("./port-forward/port-forward.js")).portForwardCommand(),
    },
    {
      name: "proxy",
      section: TROUBLESHOOTING,
      summary: "Serve the API of the cluster on a local port",
      load: async () => (await import("./proxy/proxy.js")).proxyCommand(),
    },
    {
      name: "cp",
      section: TROUBLESHOOTING,
      summary: "Copy files and folders to and from containers",
      load: async () => (await import("./cp/cp.js")).cpCommand(),
    },
    { ...authEntry, section: TROUBLESHOOTING },
    {
      name: "debug",
      section: TROUBLESHOOTING,
      summary: "Debug pods and nodes",
      load: async () => (await import("./debug/debug.js")).debugCommand(),
    },
    {
      name: "events",
      section: TROUBLESHOOTING,
      summary: "List events",
      load: async () => (await import("./events/events.js")).eventsCommand(),
    },
    {
      name: "tree",
      section: TROUBLESHOOTING,
      summary: "Show what an object owns, and by whom it is owned",
      load: async () => (await import("./tree/tree.js")).treeCommand(),
    },
    {
      name: "watch",
      section: TROUBLESHOOTING,
      summary: "Watch an object with what belongs to it, its events and its logs",
      yields: true,
      load: async () => (await import("./watch/watch.js")).watchCommand(),
    },
    {
      name: "decode",
      section: TROUBLESHOOTING,
      summary: "Print a value that an API server stored",
      yields: true,
      load: async () => (await import("./decode/decode.js")).decodeCommand(),
    },
    {
      name: "diff",
      section: ADVANCED,
      summary: "Show what apply would change",
      load: async () => (await import("./diff/diff.js")).diffCommand(),
    },
    { ...applyEntry, section: ADVANCED },
    {
      name: "patch",
      section: ADVANCED,
      summary: "Change fields of a resource",
      load: async () => (await import("./patch/patch.js")).patchCommand(),
    },
    {
      name: "replace",
      section: ADVANCED,
      summary: "Replace a resource by what a file or stdin says",
      load: async () => (await import("./replace/replace.js")).replaceCommand(),
    },
    {
      name: "wait",
      section: ADVANCED,
      summary: "Wait until resources are as they are wanted",
      load: async () => (await import("./wait/wait.js")).waitCommand(),
    },
    {
      name: "convert",
      section: ADVANCED,
      summary: "Convert manifests from one version of their API to another",
      load: async () => (await import("./convert/convert.js")).convertCommand(),
    },
    {
      name: "kustomize",
      section: ADVANCED,
      summary: "Print the objects of a kustomization",
      load: async () => (await import("./kustomize/kustomize.js")).kustomizeCommand(),
    },
    {
      name: "label",
      section: SETTINGS,
      summary: "Set and remove labels of resources",
      load: async () => (await import("./label/label.js")).labelCommand(),
    },
    {
      name: "annotate",
      section: SETTINGS,
      summary: "Set and remove annotations of resources",
      load: async () => (await import("./annotate/annotate.js")).annotateCommand(),
    },
    {
      name: "ctx",
      section: SETTINGS,
      summary: "List the contexts, or switch to one",
      yields: true,
      load: async () => (await import("./ctx/ctx.js")).ctxCommand(),
    },
    {
      name: "ns",
      section: SETTINGS,
      summary: "List the namespaces, or switch to one",
      yields: true,
      load: async () => (await import("./ns/ns.js")).nsCommand(),
    },
    // kubectl has `completion SHELL` alone; the subcommands are kubets' own.
    {
      name: "completion",
      section: SETTINGS,
      summary: "Print the completion code of a shell (bash, zsh, fish or powershell), or install it",
      load: async () => (await import("./completion/shell-scripts.js")).completionCommand(),
      children: [
        {
          name: "install",
          summary: "Install completion in a shell's start-up file",
          load: async () => (await import("./completion/installation.js")).completionInstallCommand(),
        },
        {
          name: "uninstall",
          summary: "Undo what install changed",
          load: async () => (await import("./completion/installation.js")).completionUninstallCommand(),
        },
      ],
    },
    clusterEntry,
    storageEntry,
    projectEntry,
    envtestEntry,
    {
      name: "apiserver",
      section: MANAGEMENT,
      summary: "Serve the API with kube-apiserver's flags",
      yields: true,
      load: async () => (await import("./apiserver/apiserver.js")).apiserverCommand(),
    },
    {
      name: "controller-manager",
      section: MANAGEMENT,
      summary: "Run the controllers against any API server",
      yields: true,
      load: async () => (await import("./controller-manager/controller-manager.js")).controllerManagerCommand(),
    },
    {
      name: "scheduler",
      section: MANAGEMENT,
      summary: "Run the scheduler against any API server",
      yields: true,
      load: async () => (await import("./scheduler/scheduler.js")).schedulerCommand(),
    },
    {
      name: "node",
      section: MANAGEMENT,
      summary: "Run simulated nodes for any API server",
      yields: true,
      load: async () => (await import("./node/node.js")).nodeCommand(),
    },
    configEntry,
    // `crd` and its subcommands: kubets' own, kubectl has none of it.
    {
      name: "crd",
      summary: "Work with CustomResourceDefinitions in files",
      group: {
        use: "crd SUBCOMMAND",
        description: "Work with CustomResourceDefinitions in files. No server is asked.",
        bare: { stream: "out", code: 0 },
      },
      children: [
        {
          name: "types",
          summary: "Print TypeScript types of custom resources",
          load: async () => (await import("./crd/types/types.js")).crdTypesCommand(),
        },
        {
          name: "declaration",
          summary: "Print TypeScript that declares the kinds of definitions",
          load: async () => (await import("./crd/declaration/declaration.js")).crdDeclarationCommand(),
        },
      ],
    },
    pluginEntry,
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
    kubercEntry,
    {
      name: "help",
      summary: "Show help for a command",
      hidden: true,
      load: async () => (await import("./help/help.js")).helpCommand(),
    },
  ],
};
