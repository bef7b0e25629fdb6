import type { FlagSection } from "../component-flag.js";
import type { OptionGroup } from "../option-group.js";

/** What a server shows of its process. */
export const profilingOptions = {
  /** Whether users who may can read profiles at /debug/pprof/ and change the verbosity of the log at /debug/flags/v. Default true. */
  profiling: {
    name: "profiling",
    type: "bool",
    default: "true",
    usage: "Serve profiles at /debug/pprof/ to those who may read them.",
  },
} as const satisfies OptionGroup;

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
    {
      name: "enable-priority-and-fairness",
      type: "bool",
      default: "true",
      usage: "Share the places for requests by FlowSchemas and PriorityLevelConfigurations.",
      withoutEffect: "users take turns for the places that the two limits of requests leave",
    },
    profilingOptions.profiling,
  ],
};
