import {
  validateMutatingAdmissionPolicy,
  validateMutatingAdmissionPolicyUpdate,
} from "../../../api/validation/admission-policy.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { admissionPolicyColumns } from "./policy-columns.js";

export const mutatingAdmissionPolicyRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: (policy) => validateMutatingAdmissionPolicy(policy),
    validateUpdate: validateMutatingAdmissionPolicyUpdate,
    columns: admissionPolicyColumns("Mutations"),
  },
};
