import { validateFlowControlStatus, validateFlowSchema } from "../../../api/validation/flow-control.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";
import { keepMetadata } from "../keep-metadata.js";

/** Says at once whether the priority level a new schema names exists. */
export const flowSchemaStrategy: Strategy = {
  prepareForStatusUpdate: keepMetadata,
  validate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  validateStatusUpdate: validateFlowControlStatus,
  async allocate(draft, old, { now, objects }) {
    if (old !== undefined) return;
    const name = text(object(object(draft.spec).priorityLevelConfiguration).name);
    const level = await objects.get("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "", name);
    const subject = `This FlowSchema references the PriorityLevelConfiguration object named "${name}"`;
    draft.status = {
      conditions: [
        {
          type: "Dangling",
          status: level === undefined ? "True" : "False",
          lastTransitionTime: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
          reason: level === undefined ? "NotFound" : "Found",
          message: level === undefined ? `${subject} but there is no such object` : `${subject} and it exists`,
        },
      ],
    };
  },
};
