import {
  validateAdmissionPolicy,
  validateAdmissionPolicyStatusUpdate,
  validateAdmissionPolicyUpdate,
} from "../../../api/validation/admissionregistration/admission-policy.js";
import { policyExpressionSteps } from "../../../api/validation/admissionregistration/policy-expressions.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { authorizeParamKind } from "./parameter-rights.js";
import { admissionPolicyColumns } from "./policy-columns.js";

export const validatingAdmissionPolicyRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    async beforeValidation(policy, _old, _context, subresource) {
      if (subresource === undefined) await inSlices(policyExpressionSteps(policy));
    },
    validate: (policy) => validateAdmissionPolicy(policy),
    validateUpdate: validateAdmissionPolicyUpdate,
    validateStatusUpdate: validateAdmissionPolicyStatusUpdate,
    authorizeReads: authorizeParamKind,
    columns: admissionPolicyColumns("Validations"),
  },
};
