import type { FieldsOf } from "../../../machinery/meta/received.js";
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
import type { Container, Pod, PodSpec } from "../../../api/types/core/v1.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/**
 * Checks a pod, or the template of pods, against a namespace's policy: records violations for the audit log, warns of them, and
 * throws the 403 for a pod when the policy is enforced. A refused pod brings no warning.
 */
export function reviewPod(
  pod: CheckedPod,
  { policy, errors }: LabelledPolicy,
  attributes: AdmissionAttributes,
  isEnforced: boolean,
  newest: number,
): void {
  if (errors.length > 0) note(attributes, "error", `Failed to parse policy: ${formatFieldErrors(errors)}`);
  const violationsOf = evaluatedOnce(pod, newest);
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
function evaluatedOnce(pod: CheckedPod, newest: number): (standard: Standard) => readonly Violation[] {
  const known: { readonly standard: Standard; readonly violations: readonly Violation[] }[] = [];
  return (standard) => {
    let found = known.find((one) => isSameStandard(one.standard, standard));
    if (found === undefined) {
      found = { standard, violations: evaluatePod(standard, pod, newest) };
      known.push(found);
    }
    return found.violations;
  };
}

/** Adds an audit annotation to the request. */
export const note = (attributes: AdmissionAttributes, key: string, value: string): void =>
  attributes.addAnnotation(LABEL_PREFIX + key, value);

/** Where the kinds that make pods have the template of their pods, by "group/resource". */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
  "batch/jobs": ["spec", "template"],
};

export const makesPods = (group: string, resource: string): boolean => Object.hasOwn(TEMPLATES, `${group}/${resource}`);

/** Makes the view of a pod, or of a template of pods, that the standards are checked on. */
export function checkedPod(pod: FieldsOf<Pod>): CheckedPod {
  return { metadata: object(pod.metadata), spec: specOf(pod) as PodSpec };
}

/** Returns the template of the pods that an object creates. */
export function templateOf(group: string, resource: string, holder: KubeObject): CheckedPod {
  let at: ReadonlyFields = holder;
  for (const field of TEMPLATES[`${group}/${resource}`] ?? []) at = object(at[field]);
  return checkedPod(at);
}

/** Whether an update of a pod can change the result of the standards' checks: it changes its containers or their images. */
export function isSignificantUpdate(pod: KubeObject, old: KubeObject): boolean {
  const [spec, before] = [specOf(pod), specOf(old)];
  for (const field of ["containers", "initContainers"] as const) {
    const [containers, earlier] = [objects(spec[field]), objects(before[field])];
    if (containers.length !== earlier.length) return true;
    if (containers.some((container, index) => imageOf(container) !== imageOf(earlier[index]))) return true;
  }
  const earlier = objects(before.ephemeralContainers);
  return objects(spec.ephemeralContainers).some((container: FieldsOf<Container>) => {
    const same = earlier.find(({ name }: FieldsOf<Container>) => name === container.name);
    return same === undefined || imageOf(container) !== imageOf(same);
  });
}

const specOf = ({ spec }: FieldsOf<Pod>): FieldsOf<PodSpec> => object(spec);

const imageOf = (container: FieldsOf<Container> | undefined): string => text(container?.image);
