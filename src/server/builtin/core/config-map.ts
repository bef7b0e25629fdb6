import type { ConfigMap } from "../../../api/types/core/v1.js";
import { validateConfigMap, validateConfigMapUpdate } from "../../../api/validation/core/config.js";
import { object, type Received } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const configMapRecord: RecordOf<ConfigMap> = {
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

function size(map: Received<Record<string, string>> | null | undefined): number {
  return Object.keys(object(map)).length;
}
