import type { PodTemplate } from "../../../api/types/core/v1.js";
import { validatePodTemplateUpdate } from "../../../api/validation/apps/workloads.js";
import { newTemplate } from "../../../api/validation/pod/pod-options.js";
import { validatePodTemplate } from "../../../api/validation/pod/pod-spec.js";
import { podTemplateWarnings } from "../../../api/validation/pod/pod-warnings.js";
import { object, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { containerCells, labelsCell, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

const warnings = (holder: ReceivedObject<PodTemplate>) => podTemplateWarnings(object(holder.template), "template");

export const podTemplateRecord: RecordOf<PodTemplate> = {
  group: "",
  resource: "podtemplates",
  strategy: {
    hasGeneration: true,
    validate: (holder, context) => validatePodTemplate(object(holder.template), "template", newTemplate(context)),
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
