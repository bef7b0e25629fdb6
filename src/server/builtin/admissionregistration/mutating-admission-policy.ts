import {
  validateMutatingAdmissionPolicy,
  validateMutatingAdmissionPolicyUpdate,
} from "../../../api/validation/admissionregistration/admission-policy.js";
import { policyExpressionSteps } from "../../../api/validation/admissionregistration/policy-expressions.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { authorizeParamKind } from "./parameter-rights.js";
import { admissionPolicyColumns } from "./policy-columns.js";

export const mutatingAdmissionPolicyRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    beforeValidation: (policy) => inSlices(policyExpressionSteps(policy)),
    validate: (policy) => validateMutatingAdmissionPolicy(policy),
    validateUpdate: validateMutatingAdmissionPolicyUpdate,
    authorizeReads: authorizeParamKind,
    columns: admissionPolicyColumns("Mutations"),
  },
};
