import { errorMessage } from "../../base/text/error-message.js";
import type { FeatureGates } from "../options/server-options.js";
import { emulationOf, emulationOptions, type VersionOptions } from "../../component/apiserver-flags/emulation.js";
import { versionOptions } from "../../component/apiserver-flags/own.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { readOptions } from "../../component/option-group.js";
import { parseBool } from "../../component/flags/flag-value.js";
import { DEFAULT_VERSION, servedVersionOf } from "../../machinery/served-versions.js";
import { type FeatureGate, featureGatesOf } from "../../api/gates/feature-gates.js";
import { GATES_OF_FIELDS } from "../../api/gates/fields-behind-gates.js";

export interface ReadFeatureGates {
  /** What is wrong with the entries, in component-base's words. */
  readonly faults: readonly string[];
  /** The gates that should differ from their default, as "NAME=true". */
  readonly changed: readonly string[];
}

/** The gates that change what the server does. */
const OBEYED: ReadonlySet<string> = new Set([
  ...GATES_OF_FIELDS,
  "APIServerWebhookAuthenticationToken",
  "AllAlpha",
  "AllBeta",
  "AllowUnsafeMalformedObjectDeletion",
  "DeclarativeValidationBeta",
  "ExcludeAdmissionWebhookVirtualResources",
  "HPAGeneration",
  "HPAScaleToZero",
  "KMSv1",
  "ManifestBasedAdmissionControlConfig",
  "PersistentVolumeClaimUnusedSinceTime",
  "RelaxedServiceNameValidation",
  "StatefulSetRecreateStrategy",
  "WatchListCompression",
]);

/** Reads which version the flags of kube-apiserver choose. */
export const readVersionFlags = (flags: Flags): VersionOptions =>
  readOptions({ ...versionOptions, ...emulationOptions }, flags, "");

/** The gates of --feature-gates that differ from their default. */
export function changedGatesOf(entries: readonly string[], version: VersionOptions): FeatureGates {
  const { changed } = readFeatureGates(entries, version);
  return Object.fromEntries(changed.map((gate) => gate.split("=")).map(([name, value]) => [name, value === "true"]));
}

/** The gates that should differ from their default and have no effect, as "NAME=true". */
export const gatesWithoutEffect = (entries: readonly string[], version: VersionOptions): readonly string[] =>
  readFeatureGates(entries, version).changed.filter(
    (gate) => !OBEYED.has(gate.slice(0, gate.indexOf("="))) && !isOfLogs(gate),
  );

/** Whether a setting "NAME=true" is of a gate for the formats of the log, which every component has. */
export const isOfLogs = (gate: string): boolean => /^Logging(Alpha|Beta)Options=/.test(gate);

/** Reads the entries of --feature-gates, "NAME=true" or "kube:NAME=true". `version` must be without faults. */
export function readFeatureGates(entries: readonly string[], version: VersionOptions = {}): ReadFeatureGates {
  const known = knownGates(version);
  const [faults, changed]: [string[], string[]] = [[], []];
  const prefixes = new Set(entries.map((entry) => entry.includes(":")));
  if (prefixes.size > 1) {
    faults.push("set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use");
  }
  for (const entry of entries) {
    const [, component = "kube", pair = ""] = /^(?:([^:]*):)?(.*)$/s.exec(entry) ?? [];
    if (component.trim() !== "kube") faults.push(`component not registered: ${component.trim()}`);
    else readGate(pair.trim(), known, faults, changed);
  }
  return { faults, changed };
}

interface KnownGates {
  /** Returns a gate as the emulated version has it; undefined for a name that the server's own version does not know. */
  gate(name: string): FeatureGate | "later" | undefined;
  /** How kube-apiserver names the versions in the error of a gate that came later. */
  readonly versions: string;
}

function knownGates(version: VersionOptions): KnownGates {
  const binary = servedVersionOf(version.kubernetesVersion || DEFAULT_VERSION);
  const { emulated, minCompatibility } = emulationOf(version) ?? { emulated: binary, minCompatibility: "" };
  const [own, gates] = [featureGatesOf(binary), featureGatesOf(emulated)];
  return {
    gate: (name) => (own.has(name) ? (gates.get(name) ?? "later") : undefined),
    versions: `emulated version ${emulated}, min compatibility version ${minCompatibility}`,
  };
}

function readGate(pair: string, known: KnownGates, faults: string[], changed: string[]): void {
  const [, given = pair, value] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  if (value === undefined) return void faults.push(`missing bool value for ${given}`);
  let enabled: boolean;
  try {
    enabled = parseBool(value.trim());
  } catch (error) {
    return void faults.push(`invalid value of ${given}=${value}, err: ${errorMessage(error)}`);
  }
  const name = given.trim();
  const gate = known.gate(name);
  const refusal = `cannot set feature gate ${name} to ${enabled}, feature is`;
  if (gate === undefined) faults.push(`unrecognized feature gate: ${name}`);
  else if (gate === "later") faults.push(`${refusal} PreAlpha at ${known.versions}`);
  else if (gate.locked && gate.enabled !== enabled) faults.push(`${refusal} locked to ${gate.enabled}`);
  else if (gate.enabled !== enabled) changed.push(`${name}=${enabled}`);
}
