import type { FlagSection } from "../component-flag.js";

const NO_PROFILES = "there are no profiles";

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
    {
      name: "enable-priority-and-fairness",
      type: "bool",
      default: "true",
      usage: "Share the places for requests by FlowSchemas and PriorityLevelConfigurations.",
      withoutEffect: "users take turns for the places that the two limits of requests leave",
    },
    {
      name: "profiling",
      type: "bool",
      default: "true",
      usage: "Serve profiles at /debug/pprof/.",
      withoutEffect: NO_PROFILES,
    },
  ],
};
