import { validateConfigMap, validateConfigMapUpdate } from "../../../api/validation/core/config.js";
import { object } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const configMapRecord: ResourceRecord = {
  group: "",
  resource: "configmaps",
  strategy: {
    ...checked(validateConfigMap, validateConfigMapUpdate),
    columns: columns(["Name", ["Data", "How many keys it has, text and binary ones."], "Age"], (configMap, now) => [
      name(configMap),
      size(configMap.data) + size(configMap.binaryData),
      age(configMap, now),
    ]),
  },
};

function size(map: unknown): number {
  return Object.keys(object(map)).length;
}
