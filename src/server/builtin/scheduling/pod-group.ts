import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { statusWithoutMetadata } from "../keep-metadata.js";

export const podGroupRecord: ResourceRecord = {
  group: "scheduling.k8s.io",
  resource: "podgroups",
  strategy: {
    resetFields: statusWithoutMetadata,
  },
};
