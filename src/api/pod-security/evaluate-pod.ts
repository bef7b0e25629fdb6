import type { Check, CheckedPod, Control, Violation } from "./control.js";
import { controls } from "./controls/index.js";
import type { Level, PolicyVersion, Standard } from "./policy.js";

/** The newest version that changes a control; the standards of later ones, and the latest, are the same. */
const NEWEST = Math.max(...controls.flatMap(({ revisions }) => revisions.map(({ since }) => since)));

/** `newest` is the minor version of the server, which knows no later standards. */
const minorOf = (version: PolicyVersion, newest: number): number =>
  Math.min(NEWEST, newest, version === "latest" ? newest : Number(version.slice("v1.".length)));

/** In the order of {@link controls}, by level and minor version. */
const checks = new Map<string, readonly Check[]>();

/** Returns how a pod violates a standard on a server of a minor version (37), in Kubernetes' order. */
export function evaluatePod({ level, version }: Standard, pod: CheckedPod, newest = NEWEST): readonly Violation[] {
  if (level === "privileged") return [];
  return checksOf(level, minorOf(version, newest)).flatMap((check) => check(pod) ?? []);
}

/** Lists violations with their details: `hostPort (container "a" uses hostPort 80), privileged (...)` */
export const violationDetails = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");

/** Lists the reasons of violations: "hostPort, privileged" */
export const violationReasons = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

function checksOf(level: Exclude<Level, "privileged">, minor: number): readonly Check[] {
  const key = `${level} ${minor}`;
  let found = checks.get(key);
  if (found === undefined) {
    found = assembled(level, minor);
    checks.set(key, found);
  }
  return found;
}

function assembled(level: Exclude<Level, "privileged">, minor: number): readonly Check[] {
  const current = controls
    .filter((control) => control.level === "baseline" || level === "restricted")
    .flatMap((control) => revisionAt(control, minor) ?? []);
  const overridden = new Set(current.flatMap(({ overrides = [] }) => overrides));
  return current.filter(({ id }) => !overridden.has(id)).map(({ check }) => check);
}

function revisionAt({ id, revisions }: Control, minor: number) {
  const revision = revisions.findLast(({ since }) => since <= minor);
  return revision && { id, ...revision };
}
