import { validateMutatingAdmissionPolicy } from "../../../api/validation/admission-policy.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { admissionPolicyColumns } from "./policy-columns.js";

export const mutatingAdmissionPolicyRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...checked(validateMutatingAdmissionPolicy),
    columns: admissionPolicyColumns("Mutations"),
  },
};
