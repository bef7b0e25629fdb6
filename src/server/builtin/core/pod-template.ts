import { validatePodTemplate } from "../../../api/validation/pod/pod-spec.js";
import { podTemplateWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { validatePodTemplateUpdate } from "../../../api/validation/apps/workloads.js";
import { child, type Fields, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { containerCells, labelsCell, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { dropDisabledFields } from "./pods/disabled-fields.js";

const podSpec = (holder: KubeObject) => child(child(holder as Fields, "template") ?? {}, "spec");
const warnings = (holder: KubeObject) => podTemplateWarnings(object(holder.template), "template");

export const podTemplateRecord: ResourceRecord = {
  group: "",
  resource: "podtemplates",
  strategy: {
    hasGeneration: true,
    prepareForCreate: (draft) => dropDisabledFields(podSpec(draft)),
    prepareForUpdate: (draft, old) => dropDisabledFields(podSpec(draft), podSpec(old)),
    validate: (holder) => validatePodTemplate(object(holder.template), "template"),
    validateUpdate: validatePodTemplateUpdate,
    warningsOnCreate: warnings,
    warningsOnUpdate: (holder, old) =>
      holder.metadata?.generation === old.metadata?.generation ? [] : warnings(holder),
    columns: columns(
      [
        "Name",
        ["Containers", "The names of the containers of the template."],
        ["Images", "The images of the containers of the template."],
        ["Pod Labels", "The labels of pods made from the template."],
      ],
      (holder) => {
        const template = object(holder.template);
        return [name(holder), ...containerCells(object(template.spec)), labelsCell(object(template.metadata).labels)];
      },
    ),
  },
};
