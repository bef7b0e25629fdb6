import type { FieldError } from "../../../machinery/errors/field-error.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type { TypeRules } from "./field-rules.js";
import { validateDeclared } from "./validate-declared.js";

const roleRules: TypeRules = { fields: { rules: { items: () => ({ fields: { verbs: { required: true } } }) } } };

const ofSpec = (type: TypeRules): TypeRules => ({ fields: { spec: { struct: () => type } } });

/**
 * The rules that Kubernetes declares since 1.37 (`k8s:beta(since: "1.37")=`) and whose errors read differently from those of the
 * rules in code, by resource (K37-060).
 */
export const BETA_RULES: Readonly<Record<string, TypeRules>> = {
  "discovery.k8s.io/endpointslices": { fields: { addressType: { immutable: true } } },
  "networking.k8s.io/ipaddresses": ofSpec({ fields: { parentRef: { pointer: true, immutable: true } } }),
  "node.k8s.io/runtimeclasses": {
    fields: { handler: { required: true, immutable: true, format: dns1123LabelErrors } },
  },
  "rbac.authorization.k8s.io/clusterroles": roleRules,
  "rbac.authorization.k8s.io/roles": roleRules,
  "resource.k8s.io/resourceclaims": { fields: { spec: { immutable: true } } },
  "storage.k8s.io/storageclasses": {
    fields: {
      provisioner: { required: true, immutable: true },
      parameters: { immutable: true },
      reclaimPolicy: { immutable: true },
      volumeBindingMode: { immutable: true },
    },
  },
  "storage.k8s.io/volumeattachments": { fields: { spec: { immutable: true } } },
};

/** The errors of rules in code with those of declared rules after them. A declared error takes the place of others at its field. */
export function withBetaErrors(
  errors: readonly FieldError[],
  rules: TypeRules,
  value: unknown,
  old: unknown,
  { release, gates }: ServerTraits,
): readonly FieldError[] {
  // K37-060.
  if (!release.atLeast("1.37") || !gates.enabled("DeclarativeValidationBeta")) return errors;
  const declared = validateDeclared(rules, value, old, "", { gates, isUpdate: old !== undefined });
  if (declared.length === 0) return errors;
  const covered = new Set(declared.map(({ field }) => field));
  return [...errors.filter(({ field }) => !covered.has(field)), ...declared];
}
