import { minorOf } from "../../machinery/served-versions.js";
import type { Release } from "../facts/release.js";
import json from "./gates.json" with { type: "json" };

/** The stage that the metric of a feature gate reports; "" for a stable feature. */
export type GateStage = "ALPHA" | "BETA" | "DEPRECATED" | "";

export interface FeatureGate {
  readonly stage: GateStage;
  readonly enabled: boolean;
  /** Whether it cannot be changed. */
  readonly locked: boolean;
}

/**
 * Since which minor version ("1.37") the gate is in a stage, has a default and is locked to it. "GA" is a stable feature, "REMOVED" a name that is not
 * known any more.
 */
interface GateRow {
  readonly since: string;
  readonly stage: string;
  readonly enabled: boolean;
  readonly locked: boolean;
}

/** Reads `[since, stage, enabled, locked?]`. */
const gateRow = ([since, stage, enabled, locked]: readonly (string | boolean)[]): GateRow => ({
  since: String(since),
  stage: String(stage),
  enabled: enabled === true,
  locked: locked === true,
});

/**
 * The gates of kube-apiserver, kube-controller-manager and kube-scheduler by name, with their rows in the order of versions (K37-080, K37-264). A
 * first row of 1.36, the oldest version that is served, tells nothing of the versions before.
 */
const table: Readonly<Record<string, readonly (readonly (string | boolean)[])[]>> = json;

const known = new Map<string, ReadonlyMap<string, FeatureGate>>();

/** The feature gates of a version ("1.36") with their defaults, sorted by name. */
export function featureGatesOf(version: string): ReadonlyMap<string, FeatureGate> {
  let gates = known.get(version);
  if (gates === undefined) {
    const minor = minorOf(version);
    gates = new Map(Object.entries(table).flatMap(([name, rows]) => gateAt(name, rows.map(gateRow), minor)));
    known.set(version, gates);
  }
  return gates;
}

/** Empty for a gate that the version does not know yet, or no more. */
function gateAt(name: string, rows: readonly GateRow[], minor: number): [string, FeatureGate][] {
  const row = rows.findLast(({ since }) => minorOf(since) <= minor);
  if (row === undefined || row.stage === "REMOVED") return [];
  const { stage, enabled, locked } = row;
  return [[name, { stage: stage === "GA" ? "" : (stage as GateStage), enabled, locked }]];
}

/** The feature gates of one server: the defaults of its version, and the changes of its user. */
export interface ServerGates {
  /** Whether the feature is on; false for a gate that the version does not have yet. */
  enabled(name: string): boolean;
}

/** The version and the gates of a server, on which its rules depend. */
export interface ServerTraits {
  /** The version of Kubernetes that it is. */
  readonly release: Release;
  readonly gates: ServerGates;
}

/** The stage that a gate of gates turns on or off. */
const OF_STAGE: Readonly<Partial<Record<GateStage, string>>> = { ALPHA: "AllAlpha", BETA: "AllBeta" };

/**
 * The gates of a server of `version` ("1.37"). A gate in `changed` has that value; any other that is not locked follows AllAlpha or
 * AllBeta, if `changed` has the one of its stage; else it has its default.
 */
export function serverGates(version: string, changed: Readonly<Record<string, boolean | undefined>> = {}): ServerGates {
  const gates = featureGatesOf(version);
  return {
    enabled(name) {
      const gate = gates.get(name);
      if (gate === undefined) return false;
      const ofStage = gate.locked ? undefined : OF_STAGE[gate.stage];
      return changed[name] ?? (ofStage === undefined ? undefined : changed[ofStage]) ?? gate.enabled;
    },
  };
}
