import type { PodSpec } from "../../../api/types/core/v1.js";
import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Release } from "../../../api/facts/index.js";
import {
  compareLevels,
  formatStandard,
  isEquivalent,
  isFullyPrivileged,
  isSameStandard,
  LABEL_PREFIX,
  MODES,
  type Policy,
  policyOf,
  type Standard,
} from "../../../api/pod-security/policy.js";
import { type FieldError, formatFieldError } from "../../../machinery/errors/field-error.js";
import { invalid, type StatusError } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext, AdmissionObjectReader } from "../plugin.js";
import type { PodSecuritySettings } from "./settings.js";
import type { Clock } from "../../../base/time/clock.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { Steps } from "../../../base/async/steps.js";
import { evaluatePod, violationReasons } from "../../../api/pod-security/evaluate-pod.js";
import { object, text } from "../../../machinery/meta/access.js";
import { checkedPod } from "./review-pod.js";

/**
 * Refuses labels of a namespace that name no level or version, unless an update leaves them as they are, and warns of the pods
 * that a stricter level would refuse.
 */
export async function reviewNamespace(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  { defaults, exempt }: PodSecuritySettings,
): Promise<void> {
  const { operation, object: namespace, oldObject } = attributes;
  if (namespace === undefined) return;
  const name = namespace.metadata?.name ?? "";
  const { policy, errors } = policyOf(labelsOf(namespace), defaults);
  const warnIfIgnored = (): void => attributes.addWarning(ignoredPolicy(name, policy, defaults, labelsOf(namespace)));
  if (operation === "CREATE") {
    if (errors.length > 0) throw invalidLabels(attributes, errors);
    if (exempt.namespaces.has(attributes.namespace)) warnIfIgnored();
    return;
  }
  const before = policyOf(labelsOf(oldObject), defaults);
  if (errors.length > 0 && !isSame(errors, before.errors)) throw invalidLabels(attributes, errors);
  const [enforce, enforced] = [policy.enforce, before.policy.enforce];
  if (isSameStandard(enforce, enforced) || enforce.level === "privileged") return;
  if (enforce.version === enforced.version && compareLevels(enforce.level, enforced.level) <= 0) return;
  if (exempt.namespaces.has(attributes.namespace)) return warnIfIgnored();
  const warnings = await existingPodWarnings(name, enforce, attributes, context, exempt.runtimeClasses);
  for (const warning of warnings) attributes.addWarning(warning);
}

const labelsOf = (namespace: KubeObject | undefined): Readonly<Record<string, string>> =>
  namespace?.metadata?.labels ?? {};

const isSame = (errors: readonly FieldError[], others: readonly FieldError[]): boolean =>
  errors.map(formatFieldError).join("\n") === others.map(formatFieldError).join("\n");

const invalidLabels = (
  { kind: { group, kind }, name }: AdmissionAttributes,
  errors: readonly FieldError[],
): StatusError => invalid({ group, kind }, name, errors);

/** The warning that the labels of an exempt namespace have no effect; "" where they would change nothing. */
function ignoredPolicy(
  namespace: string,
  policy: Policy,
  defaults: Policy,
  labels: Readonly<Record<string, string>>,
): string {
  if (isFullyPrivileged(policy) || isEquivalent(policy, defaults)) return "";
  const set = MODES.filter(
    (mode) =>
      policy[mode].level !== "privileged" &&
      (labels[LABEL_PREFIX + mode] !== undefined || labels[`${LABEL_PREFIX}${mode}-version`] !== undefined),
  ).map((mode) => `${mode}=${formatStandard(policy[mode])}`);
  return `namespace "${namespace}" is exempt from Pod Security, and the policy (${set.join(", ")}) will be ignored`;
}

const MOST_PODS = 3000;
const MOST_MILLISECONDS = 1000;

/** The parts of the server that the lookup of a namespace's pods uses. */
export interface PodLister {
  readonly objects: { readonly cached: Pick<AdmissionObjectReader, "list"> };
  readonly clock: Clock;
  /** The version of Kubernetes that the server is. */
  readonly release: Pick<Release, "minor">;
}

/**
 * What a namespace's new level of enforcement would say of the pods that are there, as warnings: pods with the same violations
 * together, under the first of their names. At most 3000 pods are looked at, for at most a second and half of the time that the
 * request has left; one pod of each controller comes first.
 */
export async function existingPodWarnings(
  namespace: string,
  enforce: Standard,
  { timeLeft = Number.POSITIVE_INFINITY, signal }: Pick<AdmissionAttributes, "timeLeft" | "signal">,
  { objects, clock, release }: PodLister,
  exemptClasses: ReadonlySet<string>,
): Promise<readonly string[]> {
  const end = clock.now() + Math.min(MOST_MILLISECONDS, timeLeft / 2);
  let all: readonly KubeObject[];
  try {
    all = await objects.cached.list("", "pods", namespace);
  } catch {
    return ["failed to list pods while checking new PodSecurity enforce level"];
  }
  const pods = inOrderOfNews(all, exemptClasses);
  const { looked, violators } = await inSlices(
    look(pods.slice(0, MOST_PODS), enforce, () => clock.now() >= end || signal.aborted, release.minor),
  );
  const warnings: string[] = [];
  if (looked < pods.length) {
    const among = `${looked} of ${pods.length} existing pods`;
    warnings.push(`new PodSecurity enforce level only checked against the first ${among}`);
  }
  if (violators.size > 0) {
    const level = `"${formatStandard(enforce)}"`;
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level ${level}`);
  }
  const grouped = [...violators].map(([reasons, { first, count }]) => `${first}${others(count)}: ${reasons}`);
  return [...warnings, ...grouped.toSorted()];
}

interface Violators {
  /** The first in byte order. */
  first: string;
  count: number;
}

/** Groups pods by what is wrong with them. It ends behind the pod at which it is late. */
function* look(
  pods: readonly KubeObject[],
  enforce: Standard,
  isLate: () => boolean,
  newest: number,
): Steps<{ readonly looked: number; readonly violators: ReadonlyMap<string, Violators> }> {
  const violators = new Map<string, Violators>();
  let looked = 0;
  for (const pod of pods) {
    yield;
    looked += 1;
    const violations = evaluatePod(enforce, checkedPod(pod), newest);
    if (violations.length > 0) add(violators, violationReasons(violations), pod.metadata?.name ?? "");
    if (isLate()) break;
  }
  return { looked, violators };
}

function add(violators: Map<string, Violators>, reasons: string, name: string): void {
  const known = violators.get(reasons);
  if (known === undefined) {
    violators.set(reasons, { first: name, count: 1 });
    return;
  }
  known.count += 1;
  if (name < known.first) known.first = name;
}

function others(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " (and 1 other pod)" : ` (and ${count - 1} other pods)`;
}

/** Pods that tell something new first: those behind the first of a controller are likely the same. */
function inOrderOfNews(pods: readonly KubeObject[], exemptClasses: ReadonlySet<string>): readonly KubeObject[] {
  const seen = new Set<string>();
  const [first, alike]: [KubeObject[], KubeObject[]] = [[], []];
  for (const pod of pods) {
    const { runtimeClassName }: FieldsOf<PodSpec> = object(pod["spec"]);
    if (exemptClasses.has(text(runtimeClassName))) continue;
    const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner !== undefined && seen.has(owner)) {
      alike.push(pod);
      continue;
    }
    first.push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...alike];
}
