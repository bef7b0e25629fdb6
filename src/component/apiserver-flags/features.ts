import type { FlagSection } from "../component-flag.js";
import type { Option } from "../option-group.js";

const NO_PROFILES = "there are no profiles";

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
      withoutEffect: NO_PROFILES,
    },
    {
      name: "debug-socket-path",
      type: "string",
      usage: "A Unix socket that profiles are read from.",
      withoutEffect: NO_PROFILES,
    },
    fairnessOption,
    {
      name: "profiling",
      type: "bool",
      default: "true",
      usage: "Serve profiles at /debug/pprof/.",
      withoutEffect: NO_PROFILES,
    },
  ],
};
