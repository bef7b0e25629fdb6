import { type FlagSection, withoutEffect } from "../../component/component-flag.js";
import { controllerNames, controllersOffByDefault } from "../../api/controllers/index.js";
import { leaderElectionFlags } from "../programs/leader-election-flags.js";
import { featureFlags } from "../programs/changed-gates.js";
import { AT_ONCE, blocks, FIXED, NO_CLOUD, oneOf, positive } from "./flag-parts.js";

/** The name of the program, and of its Lease. */
export const CONTROLLER_MANAGER = "kube-controller-manager";

export const RELEASES_LEASE = "ControllerManagerReleaseLeaderElectionLockOnExit";

const OF_CONTROLLERS = [
  "HPAGeneration",
  "HPAScaleToZero",
  "MaxUnavailableStatefulSet",
  "PersistentVolumeClaimUnusedSinceTime",
];

/** The feature gates that the program obeys. */
export const OBEYED_GATES: readonly string[] = [RELEASES_LEASE, ...OF_CONTROLLERS, "AllAlpha", "AllBeta"];

/** The flags of all controllers together. */
export const genericSection: FlagSection = {
  name: "generic",
  flags: [
    {
      name: "allocate-node-cidrs",
      type: "bool",
      usage: "Give each Node without one a block of --cluster-cidr for its pods.",
    },
    {
      name: "allow-untagged-cloud",
      type: "bool",
      usage: "Run in a cloud without a cluster id.",
      dropped: "it has no meaning without a cloud",
    },
    {
      name: "cidr-allocator-type",
      type: "string",
      default: "RangeAllocator",
      usage: "Who gives Nodes their blocks: RangeAllocator.",
      check: oneOf("RangeAllocator"),
    },
    withoutEffect("cloud-config", "string", "", "The configuration of a cloud.", NO_CLOUD),
    {
      name: "cloud-provider",
      type: "string",
      usage: 'The cloud: "" or external, which has a controller manager of its own.',
      check: oneOf("", "external"),
    },
    {
      name: "cluster-cidr",
      type: "string",
      usage: "The addresses of all pods, a block of IPv4 addresses. Only with --allocate-node-cidrs.",
      check: (text) => blocks(text) ?? (text.includes(",") ? "give one block: pods have IPv4 addresses" : undefined),
    },
    withoutEffect("cluster-name", "string", "kubernetes", "What names of objects in a cloud begin with.", NO_CLOUD),
    withoutEffect("configure-cloud-routes", "bool", "true", "Make routes to pods in a cloud.", NO_CLOUD),
    {
      name: "controller-shutdown-timeout",
      type: "duration",
      default: "10s",
      usage: "How long the end of the program waits for its controllers.",
    },
    withoutEffect("controller-start-interval", "duration", "", "The pause between the starts of controllers.", FIXED),
    {
      name: "controllers",
      type: "stringSlice",
      default: "[*]",
      usage:
        `Which controllers run: * all but those that are off by default, NAME that one, -NAME not that one. There are ${controllerNames.join(", ")}. ` +
        `Off by default: ${controllersOffByDefault.join(", ")}.`,
    },
    withoutEffect("external-cloud-volume-plugin", "string", "", "The volume plugin of a cloud.", NO_CLOUD),
    ...featureFlags(
      `${RELEASES_LEASE} gives the Lease up at the end; ${OF_CONTROLLERS.join(", ")} change what controllers do; no other gate has an effect.`,
    ),
    {
      name: "kube-api-burst",
      type: "int32",
      default: "30",
      usage: "How many requests may exceed --kube-api-qps for a moment.",
      check: positive,
    },
    withoutEffect(
      "kube-api-content-type",
      "string",
      "application/vnd.kubernetes.protobuf",
      "The encoding of requests.",
      "requests are in JSON",
    ),
    {
      name: "kube-api-qps",
      type: "float64",
      default: "20",
      usage:
        "How many requests all controllers together send in a second. Without the flag there is no limit: in Kubernetes the limit is each controller's.",
      check: positive,
    },
    ...leaderElectionFlags(CONTROLLER_MANAGER),
    withoutEffect("min-resync-period", "duration", "12h0m0s", "How often all objects are looked at.", AT_ONCE),
    withoutEffect("node-monitor-period", "duration", "5s", "How often a cloud's nodes are looked at.", NO_CLOUD),
    {
      name: "node-sync-period",
      type: "duration",
      usage: "How often nodes are read.",
      dropped: "use --node-monitor-grace-period",
    },
    withoutEffect("route-reconciliation-period", "duration", "10s", "How often routes are looked at.", NO_CLOUD),
    withoutEffect(
      "use-service-account-credentials",
      "bool",
      "",
      "Give each controller a service account of its own.",
      "all controllers send their requests as the user of --kubeconfig",
    ),
  ],
};
