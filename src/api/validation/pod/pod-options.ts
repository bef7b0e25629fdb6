import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type {
  Pod,
  PodAffinityTerm,
  PodSpec,
  PodTemplateSpec,
  SecurityContext,
  ServiceAccountTokenProjection,
} from "../../types/core/v1.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type { Errors } from "../collect.js";
import { hasInvalidValue } from "../label-selector.js";
import { isHugePages, isMultipleOfPage, quantity } from "../resources.js";
import { checkNonReservedPath } from "../volumes/file-paths.js";
import { validateLabelKeys } from "./affinity.js";
import { eachContainer } from "./each-container.js";
import { hasInvalidNodeSelectorValues } from "./node-selector.js";
import { hostField } from "./security-context.js";

/** The faults that validation of a pod forgives: none in a new pod; in an update, those that the old pod already has under newer rules. */
export interface PodValidationOptions {
  /** A pod itself, not the template of one. */
  readonly resourceIsPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidSelectorValue: boolean;
  readonly allowInvalidNodeAffinityValue: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  readonly keepInvalidLabelKeys: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowTolerationComparison: boolean;
  readonly allowHostNetworkWithUserNamespace: boolean;
  readonly allowDevicesWithUserNamespace: boolean;
  readonly allowMountOptionPolicy: boolean;
  readonly allowRestartingInitContainers: boolean;
  readonly allowEmptyImageReference: boolean;
  readonly allowSysAdminWithoutEscalation: boolean;
}

export const NEW_TEMPLATE: PodValidationOptions = {
  resourceIsPod: false,
  allowInvalidDeletionCost: false,
  allowIndivisibleHugePages: false,
  allowInvalidSelectorValue: false,
  allowInvalidNodeAffinityValue: false,
  allowInvalidSpreadSelector: false,
  keepInvalidLabelKeys: false,
  allowNonLocalTokenPath: false,
  allowHostSysctls: false,
  allowTolerationComparison: false,
  allowHostNetworkWithUserNamespace: false,
  allowDevicesWithUserNamespace: false,
  allowMountOptionPolicy: false,
  allowRestartingInitContainers: false,
  allowEmptyImageReference: false,
  allowSysAdminWithoutEscalation: false,
};

/** The options for a new pod template. Kubernetes 1.36 checks the references of image volumes in pods only (K37-070). */
export const newTemplate = ({ release }: ServerTraits): PodValidationOptions => ({
  ...NEW_TEMPLATE,
  allowEmptyImageReference: !release.atLeast("1.37"),
});

export const NEW_POD: PodValidationOptions = { ...NEW_TEMPLATE, resourceIsPod: true };

/** The options for an update. `old` is the pod, or the template, before it. */
export function optionsOfChange(
  old: ReceivedObject<Pod> | Received<PodTemplateSpec>,
  resourceIsPod: boolean,
  { release }: ServerTraits,
): PodValidationOptions {
  const spec = object(old.spec);
  const annotations = object(object(old.metadata).annotations);
  const ownUsers = spec.hostUsers === false;
  return {
    resourceIsPod,
    allowInvalidDeletionCost: !isDeletionCost(annotations["controller.kubernetes.io/pod-deletion-cost"]),
    allowIndivisibleHugePages: usesIndivisiblePages(spec),
    allowInvalidSelectorValue: affinityTerms(spec).some(
      (term) => hasInvalidValue(term.labelSelector) || hasInvalidValue(term.namespaceSelector),
    ),
    allowInvalidNodeAffinityValue: hasInvalidNodeSelectorValues(
      object(object(spec.affinity).nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution,
    ),
    allowInvalidSpreadSelector: objects(spec.topologySpreadConstraints).some(({ labelSelector }) =>
      hasInvalidValue(labelSelector),
    ),
    keepInvalidLabelKeys: objects(spec.topologySpreadConstraints).some((constraint) =>
      any((errors) => validateLabelKeys({ ...constraint, mismatchLabelKeys: undefined }, "", errors)),
    ),
    allowNonLocalTokenPath: tokens(spec).some(({ path }) =>
      any((errors) => checkNonReservedPath(text(path), "", errors)),
    ),
    allowHostSysctls: objects(object(spec.securityContext).sysctls).some(
      ({ name }) => hostField(text(name), spec) !== undefined,
    ),
    allowTolerationComparison: objects(spec.tolerations).some(({ operator }) => operator === "Lt" || operator === "Gt"),
    allowHostNetworkWithUserNamespace: ownUsers && spec.hostNetwork === true,
    allowDevicesWithUserNamespace:
      ownUsers && eachContainer(spec, "").some(([{ volumeDevices }]) => objects(volumeDevices).length > 0),
    allowMountOptionPolicy: !absent(object(spec.securityContext).seLinuxChangePolicy),
    allowRestartingInitContainers: objects(spec.initContainers).some(
      (container) =>
        container.restartPolicy !== "Always" &&
        objects(container.resizePolicy).some(({ restartPolicy }) => restartPolicy === "RestartContainer"),
    ),
    // K37-070: a template that has such a volume keeps it.
    allowEmptyImageReference:
      !resourceIsPod &&
      (!release.atLeast("1.37") ||
        objects(spec.volumes).some(({ image }) => !absent(image) && text(image.reference) === "")),
    // K37-072: new pods may not have both before Kubernetes 1.38.
    allowSysAdminWithoutEscalation:
      release.atLeast("1.37") && eachContainer(spec, "").some(([{ securityContext }]) => addsSysAdmin(securityContext)),
  };
}

/** Whether a container asks for what no process may gain: CAP_SYS_ADMIN without escalation of privileges. */
function addsSysAdmin(context: Received<SecurityContext> | null | undefined): boolean {
  const { allowPrivilegeEscalation, capabilities } = object(context);
  return allowPrivilegeEscalation === false && list(object(capabilities).add).includes("CAP_SYS_ADMIN");
}

function any(collect: (errors: Errors) => void): boolean {
  const errors: Errors = [];
  collect(errors);
  return errors.length > 0;
}

/** Whether a deletion cost is valid: a 32-bit integer without leading zeros or plus, or absent. */
export function isDeletionCost(value: string | null | undefined): boolean {
  if (absent(value)) return true;
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text(value))) return false;
  return Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31;
}

function usesIndivisiblePages(spec: Received<PodSpec>): boolean {
  return eachContainer(spec, "").some(([{ resources }]) =>
    [object(resources).limits, object(resources).requests].some((amounts) =>
      Object.entries(object(amounts)).some(([name, value]) => {
        const parsed = quantity(value);
        return isHugePages(name) && parsed !== undefined && !isMultipleOfPage(name, parsed);
      }),
    ),
  );
}

function affinityTerms(spec: Received<PodSpec>): Received<PodAffinityTerm>[] {
  const affinity = object(spec.affinity);
  return [object(affinity.podAffinity), object(affinity.podAntiAffinity)].flatMap((part) => [
    ...objects(part.requiredDuringSchedulingIgnoredDuringExecution),
    ...objects(part.preferredDuringSchedulingIgnoredDuringExecution).map((term) => object(term.podAffinityTerm)),
  ]);
}

function tokens(spec: Received<PodSpec>): Received<ServiceAccountTokenProjection>[] {
  return objects(spec.volumes)
    .flatMap((volume) => objects(object(volume.projected).sources))
    .filter(({ serviceAccountToken }) => !absent(serviceAccountToken))
    .map(({ serviceAccountToken }) => object(serviceAccountToken));
}
