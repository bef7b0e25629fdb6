import type { PriorityLevelConfiguration, QueuingConfiguration } from "../../../api/types/flowcontrol/v1.js";
import { validateFlowControlStatus, validatePriorityLevel } from "../../../api/validation/flowcontrol/flow-control.js";
import { number, object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const priorityLevelConfigurationRecord: RecordOf<PriorityLevelConfiguration> = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "prioritylevelconfigurations",
  strategy: {
    hasGeneration: true,
    ...checked(validatePriorityLevel),
    validateStatusUpdate: validateFlowControlStatus,
    columns: columns(
      [
        "Name",
        ["Type", "Limited, or Exempt from every limit."],
        ["NominalConcurrencyShares", "Its share of the seats that the server has."],
        ["Queues", "How many queues it has."],
        ["HandSize", "Among how many queues a flow is spread."],
        ["QueueLengthLimit", "How many requests may wait in a queue."],
        "Age",
      ],
      (level, now) => {
        const spec = object(level.spec);
        const limited = object(spec.limited);
        const queuing = object(limited.limitResponse).queuing;
        const queue = (field: keyof QueuingConfiguration) =>
          queuing === undefined ? "<none>" : number(object(queuing)[field]);
        return [
          name(level),
          text(spec.type),
          spec.limited === undefined ? "<none>" : number(limited.nominalConcurrencyShares),
          queue("queues"),
          queue("handSize"),
          queue("queueLengthLimit"),
          age(level, now),
        ];
      },
    ),
  },
};
