import { excluding } from "../../../machinery/apply/field-filter.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";

export const podCertificateRequestRecord: ResourceRecord = {
  group: "certificates.k8s.io",
  resource: "podcertificaterequests",
  strategy: {
    resetFields: { status: excluding("spec", "status.conditions") },
  },
};
