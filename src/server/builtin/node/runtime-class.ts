import type { RuntimeClass } from "../../../api/types/node/v1.js";
import {
  runtimeClassWarnings,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from "../../../api/validation/runtime-class.js";
import { text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { warned } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const runtimeClassRecord: RecordOf<RuntimeClass> = {
  group: "node.k8s.io",
  resource: "runtimeclasses",
  strategy: {
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    ...warned(runtimeClassWarnings),
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    columns: columns(
      ["Name", ["Handler", "The name that the container runtime has for the configuration."], "Age"],
      (runtime, now) => [name(runtime), text(runtime.handler), age(runtime, now)],
    ),
  },
};
