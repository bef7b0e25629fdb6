import { validatePodTemplate } from "../../../api/validation/pod-spec.js";
import { podTemplateWarnings } from "../../../api/validation/pod-warnings.js";
import { validatePodTemplateUpdate } from "../../../api/validation/workloads.js";
import { child, type Fields, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";
import { dropDisabledFields } from "./disabled-fields.js";

const podSpec = (holder: KubeObject) => child(child(holder as Fields, "template") ?? {}, "spec");
const warnings = (holder: KubeObject) => podTemplateWarnings(object(holder.template), "template");

export const podTemplateStrategy: Strategy = {
  prepareForCreate: (draft) => dropDisabledFields(podSpec(draft)),
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpec(draft), podSpec(old)),
  validate: (holder) => validatePodTemplate(object(holder.template), "template"),
  validateUpdate: validatePodTemplateUpdate,
  warningsOnCreate: warnings,
  warningsOnUpdate: (holder, old) => (holder.metadata?.generation === old.metadata?.generation ? [] : warnings(holder)),
};
