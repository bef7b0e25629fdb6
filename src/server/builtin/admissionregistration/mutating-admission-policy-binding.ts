import type { MutatingAdmissionPolicyBinding } from "../../../api/types/admissionregistration/v1.js";
import { validateMutatingAdmissionPolicyBinding } from "../../../api/validation/admissionregistration/admission-policy-binding.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { authorizeParamRef } from "./parameter-rights.js";
import { admissionPolicyBindingColumns } from "./policy-columns.js";

export const mutatingAdmissionPolicyBindingRecord: RecordOf<MutatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicybindings",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...checked(validateMutatingAdmissionPolicyBinding),
    authorizeReads: authorizeParamRef("mutatingadmissionpolicies"),
    columns: admissionPolicyBindingColumns,
  },
};
