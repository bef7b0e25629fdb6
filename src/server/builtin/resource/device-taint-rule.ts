import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { statusWithoutMetadata } from "../keep-metadata.js";

export const deviceTaintRuleRecord: ResourceRecord = {
  group: "resource.k8s.io",
  resource: "devicetaintrules",
  strategy: {
    hasGeneration: true,
    resetFields: statusWithoutMetadata,
  },
};
