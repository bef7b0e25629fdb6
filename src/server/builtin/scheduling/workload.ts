import type { Workload } from "../../../api/types/scheduling/v1alpha2.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";

export const workloadRecord: RecordOf<Workload> = {
  group: "scheduling.k8s.io",
  resource: "workloads",
  strategy: { columns: NAME_AND_AGE },
};
