import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, number, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { Lease } from "../../types/coordination/v1.js";
import { named, nonNegative, immutable } from "../rules.js";
import type { LeaseCandidate } from "../../types/coordination/v1beta1.js";

export function validateLease(lease: ReceivedObject<Lease>): FieldError[] {
  const spec = object(lease.spec);
  const duration = spec.leaseDurationSeconds;
  const errors: FieldError[] = [];
  if (!absent(duration) && number(duration) <= 0) {
    errors.push(invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  append(errors, nonNegative(spec.leaseTransitions, "spec.leaseTransitions"));
  const strategy = text(spec.strategy);
  if (!absent(spec.strategy)) append(errors, validateLeaseStrategy(strategy, "spec.strategy"));
  if (text(spec.preferredHolder) !== "" && strategy === "") {
    errors.push(forbiddenField("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return errors;
}

const STRATEGIES = ["OldestEmulationVersion"];

/** How the holder of a lease is chosen: a way of Kubernetes' own, or one with a domain. The path's last step is said twice. */
function validateLeaseStrategy(strategy: string, path: string): FieldError[] {
  const at = `${path}.strategy`;
  if (strategy.includes("/")) return named(strategy, at, qualifiedNameErrors);
  return STRATEGIES.includes(strategy) ? [] : [notSupported(at, strategy, STRATEGIES)];
}

const OLDEST = "OldestEmulationVersion";

/** Validates a candidate for a lease: its lease, versions and strategy. */
export function validateLeaseCandidate(candidate: ReceivedObject<LeaseCandidate>): FieldError[] {
  const spec = object(candidate.spec);
  const [emulated, binary, strategy] = [text(spec.emulationVersion), text(spec.binaryVersion), text(spec.strategy)];
  const errors: FieldError[] = [];
  if (text(spec.leaseName) === "") errors.push(required("spec.leaseName"));
  const refuse = (field: string, value: string) =>
    errors.push(invalidValue(`spec.${field}`, value, "must be a valid semantic version"));
  const [low, high] = [versionOf(emulated), versionOf(binary)];
  if (emulated !== "" && low === undefined) refuse("emulationVersion", emulated);
  if (binary === "") errors.push(required("spec.binaryVersion"));
  else if (high === undefined) refuse("binaryVersion", binary);
  if (binary !== "" && emulated !== "" && compare(high ?? ZERO, low ?? ZERO) < 0) {
    errors.push(invalidValue("spec.binaryVersion", binary, "must be greater than or equal to `emulationVersion`"));
  }
  if (strategy === "") return [...errors, required("spec.strategy")];
  if (strategy === OLDEST && compare(low ?? ZERO, ZERO) === 0) {
    errors.push(required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'"));
  }
  return [...errors, ...validateLeaseStrategy(strategy, "spec.strategy")];
}

export function validateLeaseCandidateUpdate(
  candidate: ReceivedObject<LeaseCandidate>,
  old: ReceivedObject<LeaseCandidate>,
): FieldError[] {
  const [name, before] = [text(object(candidate.spec).leaseName), text(object(old.spec).leaseName)];
  return [...validateLeaseCandidate(candidate), ...immutable(name, before, "spec.leaseName")];
}

interface Version {
  readonly numbers: readonly number[];
  /** What comes before the release, by its parts. */
  readonly before: readonly string[];
}

const ZERO: Version = { numbers: [0, 0, 0], before: [] };
const NUMBER = "(0|[1-9]\\d*)";
const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const semantic = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`);

function versionOf(value: string): Version | undefined {
  const match = semantic.exec(value);
  if (match === null) return undefined;
  return { numbers: match.slice(1, 4).map(Number), before: match[4]?.split(".") ?? [] };
}

function compare(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0;
    if (number !== other) return number - other;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (const [index, part] of a.before.entries()) {
    const other = b.before[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.before.length - b.before.length;
}

/** Numbers come before words. */
function compareParts(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return Number(a) - Number(b);
  if (left !== right) return left ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
