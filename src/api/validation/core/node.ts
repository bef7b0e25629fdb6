import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { parseCidr } from "../../../machinery/validation/ip.js";
import { validateLabelName } from "../../../machinery/validation/labels.js";
import {
  configMapKeyErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { Node, NodeConfigSource, NodeSpec, NodeStatus, Taint } from "../../types/core/v1.js";
import type { TypeRules } from "../declarative/field-rules.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { validateQuantity } from "../resources.js";
import { named, oneOf, repeatedAt } from "../rules.js";
import { cidrWarnings, legacyCidr } from "../service/ip-fields.js";

const CIDRS = "spec.podCIDRs";

export function validateNode(node: ReceivedObject<Node>): FieldError[] {
  const spec = object(node.spec);
  return [
    ...validateTaints(objects(spec.taints)),
    ...validateAmounts(object(node.status)),
    ...validatePodCidrs(list(spec.podCIDRs).map(text)),
    ...validateDeclared(specRules, spec, undefined, "spec", { isUpdate: false }),
  ];
}

/** The resources for which pods that are resized do not make others leave (K37-028). */
const specRules: TypeRules<NodeSpec> = {
  fields: {
    podPreemptionPolicy: {
      pointer: true,
      struct: {
        fields: { disableResizePreemption: { maxItems: 20, values: { format: qualifiedNameErrors } } },
      },
    },
  },
};

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Kubernetes says where they stand as if they were metadata. */
function validateTaints(taints: readonly Received<Taint>[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const [key, value, effect] = [text(taint.key), text(taint.value), text(taint.effect)];
    const errors = validateLabelName(key, `${path}.key`);
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalidValue(`${path}.value`, value, wrong.join(";")));
    if (effect === "") errors.push(required(`${path}.effect`));
    else append(errors, oneOf(effect, `${path}.effect`, EFFECTS));
    const id = `${effect} ${key}`;
    if (seen.has(id)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      errors.push({ ...duplicate(path, shown), detail: "taints must be unique by key and effect pair" });
    }
    seen.add(id);
    return errors;
  });
}

function validateAmounts(status: Received<NodeStatus>): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(object(status[field]))) {
      validateQuantity(name, amount, `status.${field}.${name}`, errors);
    }
  }
  return errors;
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((cidr, index) => legacyCidr(cidr, `${CIDRS}[${index}]`));
  if (cidrs.length < 2) return errors;
  const lengths = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.bytes.length));
  if (cidrs.length > 2 || lengths.size < 2) {
    errors.push(invalidValue(CIDRS, cidrs, "may specify no more than one CIDR for each IP family"));
  }
  return [...errors, ...[...repeatedAt(cidrs)].map((index) => duplicate(`${CIDRS}[${index}]`, cidrs[index]))];
}

/** Validates an update of a node: podCIDRs and providerID may not change once they are set, and externalID never. */
export function validateNodeUpdate(node: ReceivedObject<Node>, old: ReceivedObject<Node>): FieldError[] {
  const [spec, before] = [object(node.spec), object(old.spec)];
  const errors = [...validateAmounts(object(node.status)), ...validateAddresses(object(node.status))];
  const once = (field: string, name: string) =>
    forbiddenField(`spec.${field}`, `node updates may not change ${name} except from "" to valid`);
  const [cidrs, had] = [list(spec.podCIDRs), list(before.podCIDRs)];
  if (had.length > 0) {
    const changed = cidrs.length === had.length ? had.filter((cidr, index) => cidr !== cidrs[index]).length : 1;
    for (let count = 0; count < changed; count += 1) errors.push(once("podCIDRs", "podCIDR"));
  }
  if (text(before.providerID) !== "" && before.providerID !== spec.providerID) {
    errors.push(once("providerID", "providerID"));
  }
  append(errors, validateConfigSource(spec.configSource, "spec.configSource", false));
  const config = object(object(node.status).config);
  for (const field of ["assigned", "active", "lastKnownGood"] as const) {
    append(errors, validateConfigSource(config[field], `status.config.${field}`, true));
  }
  append(errors, validateTaints(objects(spec.taints)));
  if (text(spec.externalID) !== text(before.externalID)) {
    errors.push(forbiddenField("spec.externalID", "may not be updated"));
  }
  append(errors, validateDeclared(specRules, spec, before, "spec", { isUpdate: true }));
  return errors;
}

function validateAddresses(status: Received<NodeStatus>): FieldError[] {
  const seen = new Set<string>();
  return objects(status.addresses).flatMap(({ type, address }, index) => {
    const id = `${text(type)} ${text(address)}`;
    const twice = seen.has(id);
    seen.add(id);
    if (!twice) return [];
    return [duplicate(`status.addresses[${index}]`, { Type: text(type), Address: text(address) })];
  });
}

/** Where a kubelet's configuration was to come from: kubelets do not read it any more, and it is checked as it was. */
function validateConfigSource(
  source: Received<NodeConfigSource> | null | undefined,
  path: string,
  inStatus: boolean,
): FieldError[] {
  if (!isStruct(source)) return [];
  const { configMap } = source;
  if (!isStruct(configMap)) {
    return [invalidValue(path, { ConfigMap: null }, "exactly one reference subfield must be non-nil")];
  }
  const at = `${path}.configMap`;
  const errors = (["uid", "resourceVersion"] as const).flatMap((field) => {
    const set = text(configMap[field]) !== "";
    if (set === inStatus) return [];
    if (inStatus) return [required(`${at}.${field}`, `${field} must be set in status`)];
    return [forbiddenField(`${at}.${field}`, `${field} must not be set in spec`)];
  });
  for (const [field, rule] of CONFIG_MAP_RULES) {
    const value = text(configMap[field]);
    if (value === "") errors.push(required(`${at}.${field}`, `${field} must be set`));
    else append(errors, named(value, `${at}.${field}`, rule));
  }
  return errors;
}

const CONFIG_MAP_RULES = [
  ["namespace", dns1123LabelErrors],
  ["name", dns1123SubdomainErrors],
  ["kubeletConfigKey", configMapKeyErrors],
] as const;

export function nodeWarnings(node: ReceivedObject<Node>): string[] {
  const spec = object(node.spec);
  const warnings: string[] = [];
  if (!absent(spec.configSource)) {
    warnings.push("spec.configSource: the spec.configSource field is removed and will be ignored");
  }
  if (text(spec.externalID) !== "") {
    warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  return [...warnings, ...list(spec.podCIDRs).flatMap((cidr, index) => cidrWarnings(text(cidr), `${CIDRS}[${index}]`))];
}
