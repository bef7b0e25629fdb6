import { type FlagSection, flagsOfVersion, withoutEffect } from "../../component/component-flag.js";
import {
  delegatedAuthenticationSection,
  delegatedAuthorizationSection,
} from "../../component/apiserver-flags/delegated.js";
import { droppedSection } from "./dropped-flags.js";
import { leaderElectionFlags } from "../programs/leader-election-flags.js";
import { secureServingSection } from "../programs/secure-serving-flags.js";
import { metricsSection } from "../../component/apiserver-flags/metrics.js";
import { logsSection } from "../../component/logging/logging-flags.js";
import { featureFlags } from "../programs/changed-gates.js";

/** The name of the program, and of its Lease. */
export const KUBE_SCHEDULER = "kube-scheduler";

const NOTHING_TO_PROFILE = "the program serves no profiles";

/** Flags that a configuration file has fields for: with --config they have no effect. */
export const OF_FILE = ["kubeconfig", "kube-api-burst", "kube-api-qps"] as const;

const positive = (text: string): string | undefined => (Number(text) > 0 ? undefined : "must be larger than 0");

/** The flags of kube-scheduler of a version in the sections of its help, without those of {@link globalSection}. */
export const schedulerSections = (version?: string): readonly FlagSection[] => flagsOfVersion(ALL_VERSIONS, version);

const ALL_VERSIONS: readonly FlagSection[] = [
  {
    name: "misc",
    flags: [
      {
        name: "config",
        type: "string",
        usage:
          "A file with a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1). The flags of the leader election and --master come before it; --kubeconfig does not count beside it.",
      },
      { name: "master", type: "string", usage: "The address of the API server, in place of that of --kubeconfig." },
      {
        name: "write-config-to",
        type: "string",
        usage: "Write the configuration to this file and exit.",
        refused: "the program writes no configuration; it logs the values of its flags with -v=1",
      },
    ],
  },
  secureServingSection(10259),
  delegatedAuthenticationSection(true),
  delegatedAuthorizationSection(undefined),
  {
    name: "deprecated",
    flags: [
      withoutEffect("contention-profiling", "bool", "true", "Profile blocked goroutines.", NOTHING_TO_PROFILE),
      {
        name: "kube-api-burst",
        type: "int32",
        default: "100",
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
        default: "50",
        usage: "How many requests are sent in a second. Without the flag there is no limit.",
        check: positive,
      },
      {
        name: "kubeconfig",
        type: "string",
        usage: "A kubeconfig of the API server and of the program's user there. With --config the file names it.",
      },
      withoutEffect(
        "pod-max-in-unschedulable-pods-duration",
        "duration",
        "5m0s",
        "After how long a rejected pod is tried again although nothing has changed.",
        "it is five minutes",
      ),
      withoutEffect("profiling", "bool", "true", "Serve profiles on /debug/pprof/.", NOTHING_TO_PROFILE),
    ],
  },
  { name: "leader election", flags: leaderElectionFlags(KUBE_SCHEDULER) },
  { name: "feature gate", flags: featureFlags("No gate has an effect.") },
  metricsSection,
  logsSection,
  droppedSection,
];
