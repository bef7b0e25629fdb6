import { type ComponentFlag, withoutEffect } from "../../component/component-flag.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import { readFeatureGates } from "../apiserver/feature-gates.js";

/**
 * Reads the gates of --feature-gates that differ from their default, as "NAME=true"; one value may contain several, separated by
 * commas. Throws in component-base's words for gates that are unknown to Kubernetes 1.36 or locked.
 */
export function changedGates(flags: Flags): readonly string[] {
  const entries = flags
    .strings("feature-gates")
    .flatMap((value) => value.split(","))
    .filter((entry) => entry.trim() !== "");
  const { faults, changed } = readFeatureGates(entries);
  if (faults.length > 0) throw new Error(aggregateText(faults));
  return changed;
}

const ONE_VERSION = "the program is one version of Kubernetes";

/** The flags about feature gates. `obeyed` names the gates that have an effect. */
export const featureFlags = (obeyed: string): readonly ComponentFlag[] => [
  withoutEffect("emulated-version", "stringSlice", "", "The version whose features there are.", ONE_VERSION),
  {
    name: "feature-gates",
    type: "stringArray",
    typeName: "colonSeparatedMultimapStringString",
    default: "[]",
    usage: `Gates of features, as NAME=true,NAME=false. ${obeyed}`,
  },
  withoutEffect("min-compatibility-version", "stringSlice", "", "The oldest version of other programs.", ONE_VERSION),
];
