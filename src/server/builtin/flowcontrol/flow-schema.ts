import type { FlowSchema } from "../../../api/types/flowcontrol/v1.js";
import { validateFlowControlStatus, validateFlowSchema } from "../../../api/validation/flowcontrol/flow-control.js";
import { number, object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, conditionStatus, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** The record of FlowSchemas. A condition states from the start whether the priority level of a new schema exists. */
export const flowSchemaRecord: RecordOf<FlowSchema> = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "flowschemas",
  strategy: {
    hasGeneration: true,
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
    columns: columns(
      [
        "Name",
        ["PriorityLevel", "The priority level that its requests go to."],
        ["MatchingPrecedence", "Of the schemas that match a request, the lowest number wins."],
        ["DistinguisherMethod", "By what requests are told apart: the user or the namespace."],
        "Age",
        ["MissingPL", "Whether its priority level is not there."],
      ],
      (schema, now) => {
        const spec = object(schema.spec);
        return [
          name(schema),
          text(object(spec.priorityLevelConfiguration).name),
          number(spec.matchingPrecedence),
          text(object(spec.distinguisherMethod).type) || "<none>",
          age(schema, now),
          conditionStatus(object(schema.status).conditions, "Dangling") ?? "?",
        ];
      },
      { order: byPrecedence },
    ),
  },
};

/** The schema that is matched first comes first. */
function byPrecedence(a: ReceivedObject<FlowSchema>, b: ReceivedObject<FlowSchema>): number {
  const [before, after] = [a, b].map((schema) => number(object(schema.spec).matchingPrecedence));
  return (before ?? 0) - (after ?? 0) || (name(a) < name(b) ? -1 : 1);
}
