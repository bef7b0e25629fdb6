import type {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  MutatingAdmissionPolicy,
  ValidatingAdmissionPolicy,
} from "../../../api/types/admissionregistration/v1.js";
import type { LabelSelector } from "../../../api/types/meta/v1.js";
import { list, object, objects, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { TableColumns } from "../../registry/table-columns.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import {
  validateMutatingAdmissionPolicy,
  validateMutatingAdmissionPolicyUpdate,
  validateAdmissionPolicy,
  validateAdmissionPolicyStatusUpdate,
  validateAdmissionPolicyUpdate,
} from "../../../api/validation/admissionregistration/admission-policy.js";
import {
  policyExpressionSteps,
  storedExpressions,
} from "../../../api/validation/admissionregistration/policy-expressions.js";
import { inSlices } from "../../../base/async/time-slice.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { authorizeParamKind, authorizeParamRef } from "./parameter-rights.js";
import {
  validateMutatingAdmissionPolicyBinding,
  validateAdmissionPolicyBinding,
} from "../../../api/validation/admissionregistration/admission-policy-binding.js";
import { checked } from "../rules.js";
import { staticNameErrors } from "../../../api/validation/admissionregistration/admission-rules.js";

/** A policy of either kind, with what both can have in its spec. */
type AnyPolicy = { spec?: ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec };

/** Mutating and validating admission policies: how many of what they hold. */
function admissionPolicyColumns(title: "Mutations" | "Validations"): TableColumns<ReceivedObject<AnyPolicy>> {
  return columns(
    [
      "Name",
      [`${title}:integer`, `How many ${title.toLowerCase()} the policy has.`],
      ["ParamKind", "The kind of the objects that parameterize the policy."],
      "Age",
    ],
    (policy, now) => {
      const spec = object(policy.spec);
      const param = spec.paramKind;
      return [
        name(policy),
        title === "Mutations" ? list(spec.mutations).length : list(spec.validations).length,
        param === undefined ? "<unset>" : `${text(object(param).apiVersion)}/${text(object(param).kind)}`,
        age(policy, now),
      ];
    },
  );
}

const admissionPolicyBindingColumns = columns<
  ReceivedObject<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>
>(
  [
    "Name",
    ["PolicyName", "The policy that is bound."],
    ["ParamRef", "The object, or the objects, that the policy gets as its parameters."],
    "Age",
  ],
  (binding, now) => {
    const spec = object(binding.spec);
    return [name(binding), text(spec.policyName), paramRefCell(spec.paramRef), age(binding, now)];
  },
);

function paramRefCell(ref: Received<ParamRef> | null | undefined): string {
  const { namespace, name: target, selector } = object(ref);
  if (text(target) !== "") return `${text(namespace) || "*"}/${text(target)}`;
  return selector === undefined || selector === null ? "<unset>" : goLabelSelector(object(selector));
}

/** A label selector as the String method of its Go type writes it. */
function goLabelSelector(selector: Received<LabelSelector>): string {
  const labels = Object.entries(object(selector.matchLabels)).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = labels.map(([key, value]) => `${key}: ${text(value)},`).join("");
  const expressions = objects(selector.matchExpressions).map(({ key, operator, values }) => {
    const listed = list(values).map(text).join(" ");
    return `LabelSelectorRequirement{Key:${text(key)},Operator:${text(operator)},Values:[${listed}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

export const mutatingAdmissionPolicyRecord: RecordOf<MutatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    beforeValidation: (policy, old, { release }) =>
      inSlices(policyExpressionSteps(policy, storedExpressions(old, release))),
    validate: (policy, context) => [...validateMutatingAdmissionPolicy(policy), ...staticNameErrors(policy, context)],
    validateUpdate: validateMutatingAdmissionPolicyUpdate,
    authorizeReads: authorizeParamKind,
    columns: admissionPolicyColumns("Mutations"),
  },
};

export const validatingAdmissionPolicyRecord: RecordOf<ValidatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicies",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    async beforeValidation(policy, old, { release }, subresource) {
      if (subresource !== undefined) return;
      await inSlices(policyExpressionSteps(policy, storedExpressions(old, release)));
    },
    validate: (policy, context) => [...validateAdmissionPolicy(policy), ...staticNameErrors(policy, context)],
    validateUpdate: validateAdmissionPolicyUpdate,
    validateStatusUpdate: validateAdmissionPolicyStatusUpdate,
    authorizeReads: authorizeParamKind,
    columns: admissionPolicyColumns("Validations"),
  },
};

export const mutatingAdmissionPolicyBindingRecord: RecordOf<MutatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingadmissionpolicybindings",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...checked(validateMutatingAdmissionPolicyBinding),
    validate: (binding, context) => [
      ...validateMutatingAdmissionPolicyBinding(binding),
      ...staticNameErrors(binding, context),
    ],
    authorizeReads: authorizeParamRef("mutatingadmissionpolicies"),
    columns: admissionPolicyBindingColumns,
  },
};

export const validatingAdmissionPolicyBindingRecord: RecordOf<ValidatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  resource: "validatingadmissionpolicybindings",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...checked(validateAdmissionPolicyBinding),
    validate: (binding, context) => [...validateAdmissionPolicyBinding(binding), ...staticNameErrors(binding, context)],
    authorizeReads: authorizeParamRef("validatingadmissionpolicies"),
    columns: admissionPolicyBindingColumns,
  },
};
