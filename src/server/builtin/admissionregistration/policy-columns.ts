import { list, object, text } from "../../../machinery/meta/access.js";
import type { TableColumns } from "../../registry/table-columns.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** Mutating and validating admission policies: how many of what they hold. */
export function admissionPolicyColumns(title: "Mutations" | "Validations"): TableColumns {
  return columns(["Name", `${title}:integer`, "ParamKind", "Age"], (policy, now) => {
    const spec = object(policy.spec);
    const param = spec.paramKind;
    return [
      name(policy),
      list(spec[title.toLowerCase()]).length,
      param === undefined ? "<unset>" : `${text(object(param).apiVersion)}/${text(object(param).kind)}`,
      age(policy, now),
    ];
  });
}

export const admissionPolicyBindingColumns = columns(["Name", "PolicyName", "ParamRef", "Age"], (binding, now) => {
  const spec = object(binding.spec);
  return [name(binding), text(spec.policyName), paramRefCell(spec.paramRef), age(binding, now)];
});

function paramRefCell(ref: unknown): string {
  if (ref === undefined || ref === null) return "<unset>";
  const { namespace, name: target } = object(ref);
  return text(namespace) === "" ? text(target) : `${text(namespace)}/${text(target)}`;
}
