import { goQuote } from "../../base/text/go-quote.js";
import { DEFAULT_VERSION, SERVED_VERSIONS, versionBefore } from "../../machinery/served-versions.js";
import { pairsOf, pairsOfType } from "../flags/pairs.js";
import { type OptionGroup, sectionOf } from "../option-group.js";

/** kube's pattern of a metric's name, and that of a label's. */
const METRIC = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = "[a-zA-Z_][a-zA-Z0-9_]*";
const KEY = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/;
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
/** The one version that --show-hidden-metrics-for-version may have, of a server of the default version. */
const PREVIOUS = versionBefore(DEFAULT_VERSION);
const BEFORE_SERVED: ReadonlySet<string> = new Set(SERVED_VERSIONS.map(versionBefore));

/** The options for the metrics of a server. */
export const metricsOptions = {
  /** The values that labels may have, by "metric,label"; any other is counted as "unexpected". Default: labels may have any value. */
  allowedLabels: {
    name: "allow-metric-labels",
    ...pairsOfType("stringToString"),
    usage:
      "The values that labels of metrics may have, as metric,label='value,value'. Others are counted as unexpected.",
    read: (pairs: readonly string[]): Readonly<Record<string, readonly string[]>> =>
      Object.fromEntries([...pairsOf(pairs)].map(([key, values]) => [key, values.split(",")])),
    write: (allowed: Readonly<Record<string, readonly string[]>>) =>
      Object.entries(allowed).map(([key, values]) => `"${key}=${values.join(",")}"`),
    faults: allowedLabelFaults,
  },
  /** A YAML file with a map of the same: `"metric,label": "value,value"`. */
  allowedLabelsFile: {
    name: "allow-metric-labels-manifest",
    type: "string",
    usage: 'A YAML file with the values that labels of metrics may have, a map of "metric,label" to "value,value".',
    isFile: true,
  },
  /** Names of metrics that there are not. */
  disabledMetrics: {
    name: "disabled-metrics",
    type: "stringSlice",
    usage: "Names of metrics to leave out.",
    faults: (names: readonly string[]) => {
      const wrong = names.find((name) => !NAME.test(name));
      if (wrong === undefined) return [];
      const why = `must be fully qualified metric names matching ${goQuote(`^${METRIC}$`)}, got ${goQuote(wrong)}`;
      return [`metrics.disabledMetrics: Invalid value: ${JSON.stringify(names)}: ${why}`];
    },
  },
  /** "1.36" shows metrics that 1.37 hides. */
  showHiddenMetricsForVersion: {
    name: "show-hidden-metrics-for-version",
    type: "string",
    usage: `${PREVIOUS} shows the metrics that were hidden in the release after it.`,
    faults: (version: string) =>
      BEFORE_SERVED.has(version)
        ? []
        : [
            `metrics.showHiddenMetricsForVersion: Invalid value: ${goQuote(version)}: must be omitted or have the value '${PREVIOUS}'; only the previous minor version is allowed`,
          ],
  },
} as const satisfies OptionGroup;

/** Returns kube-apiserver's error about invalid keys of --allow-metric-labels. */
export function allowedLabelFaults(allowed: Readonly<Record<string, readonly string[]>>): readonly string[] {
  if (Object.keys(allowed).every((key) => KEY.test(key))) return [];
  const given = Object.fromEntries(Object.entries(allowed).map(([key, values]) => [key, values.join(",")]));
  const why = `must have keys with format \`metricName,labelName\` where metricName matches ${goQuote(METRIC)} and labelName matches ${goQuote(LABEL)}`;
  return [`metrics.allowListMapping: Invalid value: ${JSON.stringify(given)}: ${why}`];
}

export const metricsSection = sectionOf("metrics", metricsOptions, []);
