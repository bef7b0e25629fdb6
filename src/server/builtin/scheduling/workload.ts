import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";

export const workloadRecord: ResourceRecord = {
  group: "scheduling.k8s.io",
  resource: "workloads",
  strategy: { columns: NAME_AND_AGE },
};
