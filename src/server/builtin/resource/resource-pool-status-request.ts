import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { statusWithoutMetadata } from "../keep-metadata.js";

export const resourcePoolStatusRequestRecord: ResourceRecord = {
  group: "resource.k8s.io",
  resource: "resourcepoolstatusrequests",
  strategy: {
    resetFields: statusWithoutMetadata,
  },
};
