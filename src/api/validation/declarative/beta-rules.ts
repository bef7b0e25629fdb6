import type { FieldError } from "../../../machinery/errors/field-error.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type { EndpointSlice } from "../../types/discovery/v1.js";
import type { IPAddress } from "../../types/networking/v1.js";
import type { RuntimeClass } from "../../types/node/v1.js";
import type { Role } from "../../types/rbac/v1.js";
import type { ResourceClaim } from "../../types/resource/v1.js";
import type { StorageClass, VolumeAttachment } from "../../types/storage/v1.js";
import type { TypeRules } from "./field-rules.js";
import { validateDeclared } from "./validate-declared.js";

const roleRules: TypeRules<Role> = { fields: { rules: { items: { fields: { verbs: { required: true } } } } } };

const sliceRules: TypeRules<EndpointSlice> = { fields: { addressType: { immutable: true } } };
const addressRules: TypeRules<IPAddress> = {
  fields: { spec: { struct: { fields: { parentRef: { pointer: true, immutable: true } } } } },
};
const runtimeRules: TypeRules<RuntimeClass> = {
  fields: { handler: { required: true, immutable: true, format: dns1123LabelErrors } },
};
const claimRules: TypeRules<ResourceClaim> = { fields: { spec: { immutable: true } } };
const attachmentRules: TypeRules<VolumeAttachment> = { fields: { spec: { immutable: true } } };
const classRules: TypeRules<StorageClass> = {
  fields: {
    provisioner: { required: true, immutable: true },
    parameters: { immutable: true },
    reclaimPolicy: { immutable: true },
    volumeBindingMode: { immutable: true },
  },
};

/**
 * The rules that Kubernetes declares since 1.37 (`k8s:beta(since: "1.37")=`) and whose errors read differently from those of the
 * rules in code, by resource (K37-060).
 */
export const BETA_RULES: Readonly<Record<string, TypeRules>> = {
  "discovery.k8s.io/endpointslices": sliceRules,
  "networking.k8s.io/ipaddresses": addressRules,
  "node.k8s.io/runtimeclasses": runtimeRules,
  "rbac.authorization.k8s.io/clusterroles": roleRules,
  "rbac.authorization.k8s.io/roles": roleRules,
  "resource.k8s.io/resourceclaims": claimRules,
  "storage.k8s.io/storageclasses": classRules,
  "storage.k8s.io/volumeattachments": attachmentRules,
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
