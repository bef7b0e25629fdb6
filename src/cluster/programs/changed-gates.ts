import { type ComponentFlag, withoutEffect } from "../../component/component-flag.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import { readFeatureGates } from "../apiserver/feature-gates.js";

/**
 * The gates of --feature-gates that should differ from their default, as "NAME=true"; several may be given in one value, parted by commas.
 * Throws in component-base's words for gates that Kubernetes 1.36 does not have or does not let be changed.
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

/** `obeyed` says which gates have an effect. */
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
