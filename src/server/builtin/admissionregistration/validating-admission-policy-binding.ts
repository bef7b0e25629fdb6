import type { ValidatingAdmissionPolicyBinding } from "../../../api/types/admissionregistration/v1.js";
import { validateAdmissionPolicyBinding } from "../../../api/validation/admissionregistration/admission-policy-binding.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { authorizeParamRef } from "./parameter-rights.js";
import { admissionPolicyBindingColumns } from "./policy-columns.js";

export const validatingAdmissionPolicyBindingRecord: RecordOf<ValidatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicybindings",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...checked(validateAdmissionPolicyBinding),
    authorizeReads: authorizeParamRef("validatingadmissionpolicies"),
    columns: admissionPolicyBindingColumns,
  },
};
