import { podNameWarnings, podTemplateWarnings, claimSpecWarnings } from "../../../api/validation/pod-warnings.js";
import {
  validateDaemonSetStatus,
  validateDeploymentStatus,
  validateReplicaSetStatus,
  validateReplicationControllerStatus,
  validateStatefulSetStatus,
} from "../../../api/validation/workload-status.js";
import {
  validateDaemonSet,
  validateDaemonSetUpdate,
  validateDeployment,
  validateDeploymentUpdate,
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicationController,
  validateReplicationControllerUpdate,
  validateStatefulSet,
  validateStatefulSetUpdate,
} from "../../../api/validation/workloads.js";
import { child, type Fields, number, object, objects } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";
import { dropDisabledFields } from "../core/disabled-fields.js";
import { countTemplateGeneration, keepTemplateGeneration, startTemplateGeneration } from "./template-generation.js";

const template = (workload: KubeObject) => object(object(workload.spec).template);
const templateWarnings = (workload: KubeObject) => podTemplateWarnings(template(workload), "spec.template");
const namedTemplateWarnings = (workload: KubeObject) => [
  ...podNameWarnings(workload.metadata?.name ?? ""),
  ...templateWarnings(workload),
];

/** Updates are warned of when they change something: the registry has counted the generation by then. */
const onChange =
  (warnings: (workload: KubeObject) => string[]) =>
  (workload: KubeObject, old: KubeObject): string[] =>
    workload.metadata?.generation === old.metadata?.generation ? [] : warnings(workload);

const podSpec = (workload: KubeObject): Fields | undefined =>
  child(child((workload.spec ?? {}) as Fields, "template") ?? {}, "spec");

/** Fields of the template whose gates are off. */
const dropping: Strategy = {
  prepareForCreate: (draft) => dropDisabledFields(podSpec(draft)),
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpec(draft), podSpec(old)),
};

export const deploymentStrategy: Strategy = {
  ...dropping,
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatus,
  warningsOnCreate: namedTemplateWarnings,
  warningsOnUpdate: onChange(templateWarnings),
};

export const replicaSetStrategy: Strategy = {
  ...dropping,
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatus,
  warningsOnCreate: namedTemplateWarnings,
  warningsOnUpdate: onChange(templateWarnings),
};

export const daemonSetStrategy: Strategy = {
  prepareForCreate(draft, context) {
    dropping.prepareForCreate?.(draft, context);
    startTemplateGeneration(draft);
  },
  prepareForUpdate(draft, old, context) {
    dropping.prepareForUpdate?.(draft, old, context);
    countTemplateGeneration(draft, old);
  },
  prepareForStatusUpdate: keepTemplateGeneration,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatus,
  warningsOnCreate: templateWarnings,
  warningsOnUpdate: onChange(templateWarnings),
};

export const replicationControllerStrategy: Strategy = {
  ...dropping,
  validate: validateReplicationController,
  validateUpdate: validateReplicationControllerUpdate,
  validateStatusUpdate: validateReplicationControllerStatus,
  warningsOnCreate: namedTemplateWarnings,
  warningsOnUpdate: onChange(templateWarnings),
  fieldLabels: ["status.replicas"],
  fields: (controller) => ({ "status.replicas": String(number(object(controller.status).replicas)) }),
};

export const statefulSetStrategy: Strategy = {
  prepareForCreate(draft) {
    dropMaxUnavailable(draft, undefined);
    dropDisabledFields(podSpec(draft));
  },
  prepareForUpdate(draft, old) {
    dropMaxUnavailable(draft, old);
    dropDisabledFields(podSpec(draft), podSpec(old));
  },
  validateName: dns1123LabelErrors,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatus,
  warningsOnCreate: (set) => [...templateWarnings(set), ...statefulSetWarnings(set, "")],
  warningsOnUpdate: (set, old) => [...onChange(templateWarnings)(set, old), ...statefulSetWarnings(set, ".Spec")],
};

/** The field is off in 1.36 until a set has it. */
function dropMaxUnavailable(draft: KubeObject, old: KubeObject | undefined): void {
  const rolling = (set: KubeObject | undefined) => object(object(object(set?.spec).updateStrategy).rollingUpdate);
  if (rolling(old).maxUnavailable !== undefined) return;
  const own = child(child((draft.spec ?? {}) as Fields, "updateStrategy") ?? {}, "rollingUpdate");
  delete own?.maxUnavailable;
}

function statefulSetWarnings(set: KubeObject, specPath: string): string[] {
  const spec = object(set.spec);
  const warnings = objects(spec.volumeClaimTemplates).flatMap((claim, index) =>
    claimSpecWarnings(object(claim.spec), `spec.volumeClaimTemplates[${index}]${specPath}`),
  );
  if (number(spec.revisionHistoryLimit) < 0) {
    const why = "a negative value retains all historical revisions; a value >= 0 is recommended";
    warnings.push(`spec.revisionHistoryLimit: ${why}`);
  }
  return warnings;
}
