import { errorMessage } from "../../base/text/error-message.js";
import type { FeatureGates } from "../options/server-options.js";
import { parseBool } from "../../component/flags/flag-value.js";
import { DEFAULT_VERSION, servedVersionOf } from "../../machinery/served-versions.js";
import { featureGatesOf } from "../../api/gates/feature-gates.js";

export interface ReadFeatureGates {
  /** What is wrong with the entries, in component-base's words. */
  readonly faults: readonly string[];
  /** The gates that should differ from their default, as "NAME=true". */
  readonly changed: readonly string[];
}

/** The gates that change what the server does. */
const OBEYED = ["AllowUnsafeMalformedObjectDeletion", "KMSv1"] as const;

/** The gates of --feature-gates that a server of the version obeys and that differ from their default. */
export function obeyedGates(entries: readonly string[], version?: string): FeatureGates {
  const { changed } = readFeatureGates(entries, version);
  return Object.fromEntries(
    OBEYED.flatMap((name) =>
      [true, false].filter((value) => changed.includes(`${name}=${value}`)).map((value) => [name, value] as const),
    ),
  );
}

/** The gates that should differ from their default and have no effect, as "NAME=true". */
export const gatesWithoutEffect = (entries: readonly string[], version?: string): readonly string[] =>
  readFeatureGates(entries, version).changed.filter(
    (gate) => !OBEYED.some((name) => gate.startsWith(`${name}=`)) && !isOfLogs(gate),
  );

/** Whether a gate, as "NAME=true", says which forms the log may have: every component obeys it. */
export const isOfLogs = (gate: string): boolean => /^Logging(Alpha|Beta)Options=/.test(gate);

/** Reads the entries of --feature-gates, "NAME=true" or "kube:NAME=true". `version` names the version of Kubernetes whose gates there are: "1.36", "v1.36.3". */
export function readFeatureGates(entries: readonly string[], version: string = DEFAULT_VERSION): ReadFeatureGates {
  const gates = featureGatesOf(servedVersionOf(version));
  const [faults, changed]: [string[], string[]] = [[], []];
  const prefixes = new Set(entries.map((entry) => entry.includes(":")));
  if (prefixes.size > 1) {
    faults.push("set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use");
  }
  for (const entry of entries) {
    const [, component = "kube", pair = ""] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
    if (component.trim() !== "kube") faults.push(`component not registered: ${component.trim()}`);
    else readGate(pair.trim(), gates, faults, changed);
  }
  return { faults, changed };
}

function readGate(pair: string, gates: ReturnType<typeof featureGatesOf>, faults: string[], changed: string[]): void {
  const [, name = pair, value] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  if (value === undefined) return void faults.push(`missing bool value for ${name}`);
  let enabled: boolean;
  try {
    enabled = parseBool(value.trim());
  } catch (error) {
    return void faults.push(`invalid value of ${name}=${value}, err: ${errorMessage(error)}`);
  }
  const gate = gates.get(name.trim());
  if (gate === undefined) faults.push(`unrecognized feature gate: ${name.trim()}`);
  else if (gate.locked && gate.enabled !== enabled) {
    faults.push(`cannot set feature gate ${name.trim()} to ${enabled}, feature is locked to ${gate.enabled}`);
  } else if (gate.enabled !== enabled) changed.push(`${name.trim()}=${enabled}`);
}
