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
} from "../../../api/pod-security/policy.js";
import { type FieldError, formatFieldError } from "../../../machinery/errors/field-error.js";
import { invalid, type StatusError } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";
import { existingPodWarnings } from "./existing-pods.js";
import type { PodSecuritySettings } from "./settings.js";

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
