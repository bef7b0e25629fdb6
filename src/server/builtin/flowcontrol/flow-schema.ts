import { validateFlowControlStatus, validateFlowSchema } from "../../../api/validation/flowcontrol/flow-control.js";
import { number, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, conditionStatus, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** Says at once whether the priority level a new schema names exists. */
export const flowSchemaRecord: ResourceRecord = {
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
function byPrecedence(a: KubeObject, b: KubeObject): number {
  const [before, after] = [a, b].map((schema) => number(object(schema.spec).matchingPrecedence));
  return (before ?? 0) - (after ?? 0) || (name(a) < name(b) ? -1 : 1);
}
