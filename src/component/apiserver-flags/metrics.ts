import { pairsOfType } from "../flags/pairs.js";
import type { FlagSection } from "../component-flag.js";

const NO_METRICS = "there are no metrics yet";

export const metricsSection: FlagSection = {
  name: "metrics",
  flags: [
    {
      name: "allow-metric-labels",
      ...pairsOfType("stringToString"),
      usage: "The values that labels of metrics may have, as metric,label='value,value'.",
      withoutEffect: NO_METRICS,
    },
    {
      name: "allow-metric-labels-manifest",
      type: "string",
      usage: "A file with the values that labels of metrics may have.",
      withoutEffect: NO_METRICS,
    },
    { name: "disabled-metrics", type: "stringSlice", usage: "Metrics to leave out.", withoutEffect: NO_METRICS },
    {
      name: "show-hidden-metrics-for-version",
      type: "string",
      usage: "Show metrics that were hidden in the release after this one, as 1.35.",
      withoutEffect: NO_METRICS,
    },
  ],
};
