import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { statusWithoutMetadata } from "../keep-metadata.js";

export const storageVersionRecord: ResourceRecord = {
  group: "internal.apiserver.k8s.io",
  resource: "storageversions",
  strategy: {
    resetFields: statusWithoutMetadata,
  },
};
