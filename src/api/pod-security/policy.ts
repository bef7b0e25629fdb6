import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";

export const LEVELS = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof LEVELS)[number];

/** "latest", or "v1.N". */
export type PolicyVersion = string;

/** A level of the pod security standards as one version of Kubernetes has it. */
export interface Standard {
  readonly level: Level;
  readonly version: PolicyVersion;
}

/** What is done with pods that do not conform: refused, noted for the audit, warned of. */
export interface Policy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

export type Mode = keyof Policy;
export const MODES = ["enforce", "audit", "warn"] as const satisfies readonly Mode[];

export const LABEL_PREFIX = "pod-security.kubernetes.io/";
export const LEVEL_PROBLEM = `must be one of ${LEVELS.join(", ")}`;
export const VERSION_PROBLEM = 'must be "latest" or "v1.x"';

const LATEST: PolicyVersion = "latest";
const VERSION = /^v1\.([0-9]|[1-9][0-9]*)$/;
const MAX_INT = 2n ** 63n - 1n;

export const isLevel = (text: string): text is Level => LEVELS.some((level) => level === text);

export const isVersion = (text: string): boolean =>
  text === LATEST || (VERSION.test(text) && BigInt(text.slice("v1.".length)) <= MAX_INT);

/** Formats a standard: "restricted:v1.36" */
export const formatStandard = ({ level, version }: Standard): string => `${level}:${version}`;

/** Negative where `a` is less strict than `b`, 0 for the same level. */
export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

export const isSameStandard = (a: Standard, b: Standard): boolean => a.level === b.level && a.version === b.version;

export const isFullyPrivileged = (policy: Policy): boolean =>
  MODES.every((mode) => policy[mode].level === "privileged");

/** Whether two policies do the same to every pod. */
export const isEquivalent = (a: Policy, b: Policy): boolean =>
  MODES.every(
    (mode) => (a[mode].level === "privileged" && b[mode].level === "privileged") || isSameStandard(a[mode], b[mode]),
  );

export interface LabelledPolicy {
  readonly policy: Policy;
  /** Of labels that name no level or no version. */
  readonly errors: readonly FieldError[];
}

/**
 * The policy that a namespace's labels ask for; what they leave out is the default. Labels that cannot be read enforce the
 * restricted level and neither audit nor warn; a version that cannot be read is the latest. A namespace that enforces more than
 * it warns of by default warns of what it enforces.
 */
export function policyOf(labels: Readonly<Record<string, string>>, defaults: Policy): LabelledPolicy {
  if (!Object.keys(labels).some((key) => key.startsWith(LABEL_PREFIX))) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const read = (mode: Mode): Standard => {
    const level = labels[LABEL_PREFIX + mode];
    const version = labels[`${LABEL_PREFIX}${mode}-version`];
    if (level !== undefined && !isLevel(level)) errors.push(labelError(mode, level, LEVEL_PROBLEM));
    if (version !== undefined && !isVersion(version))
      errors.push(labelError(`${mode}-version`, version, VERSION_PROBLEM));
    return {
      level: level === undefined ? defaults[mode].level : isLevel(level) ? level : UNREADABLE[mode],
      version: version === undefined ? defaults[mode].version : isVersion(version) ? version : LATEST,
    };
  };
  const policy = { enforce: read("enforce"), audit: read("audit"), warn: read("warn") };
  return { policy: { ...policy, warn: atLeastEnforced(policy, labels) }, errors };
}

const UNREADABLE: Readonly<Record<Mode, Level>> = { enforce: "restricted", audit: "privileged", warn: "privileged" };

function atLeastEnforced({ enforce, warn }: Policy, labels: Readonly<Record<string, string>>): Standard {
  const enforced = labels[`${LABEL_PREFIX}enforce`];
  if (enforced === undefined || !isLevel(enforced) || labels[`${LABEL_PREFIX}warn`] !== undefined) return warn;
  if (compareLevels(enforce.level, warn.level) <= 0) return warn;
  const version = labels[`${LABEL_PREFIX}warn-version`] === undefined ? enforce.version : warn.version;
  return { level: enforce.level, version };
}

const labelError = (label: string, value: string, problem: string): FieldError =>
  invalidValue(`metadata.labels[${LABEL_PREFIX}${label}]`, value, problem);
