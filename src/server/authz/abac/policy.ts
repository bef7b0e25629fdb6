import { object, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import { fileStruct, FLAG, TEXT, TYPE_META } from "../file-schema.js";

/** One rule of an ABAC policy file, in the meaning of v1beta1. "*" matches everything, "" nothing but what is not there. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** Allows nothing but get, list and watch. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const ALL_AUTHENTICATED = "system:authenticated";

const RULE = { user: TEXT, group: TEXT, readonly: FLAG, resource: TEXT, namespace: TEXT };
const V0 = fileStruct("v0.Policy", { ...TYPE_META, ...RULE });
const SPEC = fileStruct("v1beta1.PolicySpec", { ...RULE, apiGroup: TEXT, nonResourcePath: TEXT });
const V1BETA1 = fileStruct("v1beta1.Policy", { ...TYPE_META, spec: SPEC });

/** A rule without a version, or of v0. Throws an UnmarshalError for a field of another type; unknown fields are ignored. */
export function policyOfV0(value: JsonObject): AbacPolicy {
  const read = decodeObject(value, V0, { mode: "Ignore" }).object;
  const [user, group] = [text(read["user"]), text(read["group"])];
  const [resource, namespace] = [text(read["resource"]), text(read["namespace"])];
  const anyUser = (user === "" && group === "") || user === "*" || group === "*";
  return {
    user: anyUser ? "" : user,
    group: anyUser ? ALL_AUTHENTICATED : group,
    readonly: read["readonly"] === true,
    apiGroup: "*",
    resource: resource === "" ? "*" : resource,
    namespace: namespace === "" ? "*" : namespace,
    nonResourcePath: resource === "" && namespace === "" ? "*" : "",
  };
}

/** A rule of v1beta1. Throws as {@link policyOfV0}. */
export function policyOfV1Beta1(value: JsonObject): AbacPolicy {
  const spec = object(decodeObject(value, V1BETA1, { mode: "Ignore" }).object["spec"]);
  const [user, group] = [text(spec["user"]), text(spec["group"])];
  const anyUser = user === "*" || group === "*";
  return {
    user: anyUser ? "" : user,
    group: anyUser ? ALL_AUTHENTICATED : group,
    readonly: spec["readonly"] === true,
    apiGroup: text(spec["apiGroup"]),
    resource: text(spec["resource"]),
    namespace: text(spec["namespace"]),
    nonResourcePath: text(spec["nonResourcePath"]),
  };
}
