import type { FlagSection } from "../component-flag.js";
import type { Option, OptionGroup } from "../option-group.js";

/** The options for what a server shows of its process. */
export const profilingOptions = {
  /** Whether users who may can read profiles at /debug/pprof/ and change the verbosity of the log at /debug/flags/v. Default true. */
  profiling: {
    name: "profiling",
    type: "bool",
    default: "true",
    usage: "Serve profiles at /debug/pprof/ to those who may read them.",
  },
} as const satisfies OptionGroup;

/**
 * Whether FlowSchemas and PriorityLevelConfigurations divide the server among its callers. The sum of the two limits is then divided, and not each
 * limit kept. Default false; of `kubets apiserver` true.
 */
export const fairnessOption = {
  name: "enable-priority-and-fairness",
  type: "bool",
  default: "true",
  usage: "Divide the places for requests by FlowSchemas and PriorityLevelConfigurations, in place of the two limits.",
} as const satisfies Option;

export const featuresSection: FlagSection = {
  name: "features",
  flags: [
    {
      name: "contention-profiling",
      type: "bool",
      usage: "Record where the server waits for itself.",
      withoutEffect: "one thread waits for no other",
    },
    {
      name: "debug-socket-path",
      type: "string",
      usage: "A Unix socket that profiles are read from.",
      withoutEffect: "profiles are read from the port",
    },
    fairnessOption,
    profilingOptions.profiling,
  ],
};
