import type { CheckedPod, Violation } from "../../../api/pod-security/control.js";
import { evaluatePod, violationDetails } from "../../../api/pod-security/evaluate-pod.js";
import {
  formatStandard,
  isSameStandard,
  LABEL_PREFIX,
  type LabelledPolicy,
  type Standard,
} from "../../../api/pod-security/policy.js";
import { formatFieldErrors } from "../../../machinery/errors/field-error.js";
import { forbidden } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";

/**
 * Holds a pod, or the template of pods, against a namespace's policy: notes and warns of violations, and throws the 403 for a
 * pod that is to be enforced. A pod that is refused brings no warning.
 */
export function reviewPod(
  pod: CheckedPod,
  { policy, errors }: LabelledPolicy,
  attributes: AdmissionAttributes,
  isEnforced: boolean,
): void {
  if (errors.length > 0) note(attributes, "error", `Failed to parse policy: ${formatFieldErrors(errors)}`);
  const violationsOf = evaluatedOnce(pod);
  const refused = isEnforced ? violationsOf(policy.enforce) : [];
  if (isEnforced) note(attributes, "enforce-policy", formatStandard(policy.enforce));
  const audited = violationsOf(policy.audit);
  if (audited.length > 0)
    note(attributes, "audit-violations", `would violate ${standardAndViolations(policy.audit, audited)}`);
  if (refused.length > 0) {
    const { name, resource } = attributes;
    throw forbidden(
      { group: resource.group, resource: resource.resource },
      name,
      `violates ${standardAndViolations(policy.enforce, refused)}`,
    );
  }
  const warned = violationsOf(policy.warn);
  if (warned.length > 0) attributes.addWarning(`would violate ${standardAndViolations(policy.warn, warned)}`);
}

const standardAndViolations = (standard: Standard, violations: readonly Violation[]): string =>
  `PodSecurity "${formatStandard(standard)}": ${violationDetails(violations)}`;

/** The modes of a policy often name one standard. */
function evaluatedOnce(pod: CheckedPod): (standard: Standard) => readonly Violation[] {
  const known: { readonly standard: Standard; readonly violations: readonly Violation[] }[] = [];
  return (standard) => {
    let found = known.find((one) => isSameStandard(one.standard, standard));
    if (found === undefined) {
      found = { standard, violations: evaluatePod(standard, pod) };
      known.push(found);
    }
    return found.violations;
  };
}

/** Notes something of the request for its audit event. */
export const note = (attributes: AdmissionAttributes, key: string, value: string): void =>
  attributes.addAnnotation(LABEL_PREFIX + key, value);
