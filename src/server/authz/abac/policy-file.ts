import type { FieldsOf } from "../../../machinery/meta/received.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { readText } from "../../../base/files/read-file.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { statedKind } from "../../../machinery/wire/stated-kind.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import { isJsonObject, type JsonValue, type JsonObject } from "../../../machinery/meta/json.js";
import { parseYaml } from "../../../machinery/text/yaml/read.js";
import { object, text } from "../../../machinery/meta/access.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import { fileStruct, FLAG, TEXT, TYPE_META } from "../file-schema.js";

const GROUP = "abac.authorization.kubernetes.io";

/**
 * Reads a policy file: a rule a line, in JSON; empty lines and those that begin with # are skipped. Rejects in kube-apiserver's
 * words, which name the file, the line and what is in it.
 */
export async function readPolicyFile(file: string): Promise<readonly AbacPolicy[]> {
  return policiesIn(await readText(file), file);
}

/** Parses the rules of a policy file. Throws as {@link readPolicyFile}; `file` is its name in errors. */
export function policiesIn(text: string, file: string): readonly AbacPolicy[] {
  const policies: AbacPolicy[] = [];
  for (const [index, ended] of text.split("\n").entries()) {
    const line = ended.replace(/\r$/, "");
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    try {
      policies.push(policyOf(line));
    } catch (error) {
      const fault = errorMessage(error);
      throw new Error(`error reading policy file ${file}, line ${index + 1}: ${line}: ${fault}`, { cause: error });
    }
  }
  return policies;
}

function policyOf(line: string): AbacPolicy {
  const value = read(line);
  const { group, version, kind } = statedKind(value);
  if (!isJsonObject(value)) throw new Error("the line holds no object");
  if (version === "" && group === "" && kind === "") return policyOfV0(value);
  if (kind === "") throw new Error(`Object 'Kind' is missing in '${line}'`);
  if (version === "") throw new Error(`Object 'apiVersion' is missing in '${line}'`);
  if (group === GROUP && kind === "Policy" && version === "v1beta1") return policyOfV1Beta1(value);
  if (group === GROUP && kind === "Policy" && version === "v0") return policyOfV0(value);
  const stated = formatGroupVersion({ group, version });
  throw new Error(`no kind "${kind}" is registered for version "${stated}" in scheme "pkg/apis/abac/register.go:33"`);
}

function read(line: string): JsonValue {
  return line.trimStart().startsWith("{") ? decodeJson(line).value : parseYaml(line);
}

/** One rule of an ABAC policy file, with v1beta1's meaning. "*" matches everything, "" only an absent value. */
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

type Rule = Pick<AbacPolicy, "user" | "group" | "readonly" | "resource" | "namespace">;

const RULE = { user: TEXT, group: TEXT, readonly: FLAG, resource: TEXT, namespace: TEXT } satisfies FieldsOf<Rule>;
const V0 = fileStruct("v0.Policy", { ...TYPE_META, ...RULE });
const SPEC = fileStruct("v1beta1.PolicySpec", {
  ...RULE,
  apiGroup: TEXT,
  nonResourcePath: TEXT,
} satisfies FieldsOf<AbacPolicy>);
const V1BETA1 = fileStruct("v1beta1.Policy", { ...TYPE_META, spec: SPEC });

/** A rule without a version, or of v0. Throws an UnmarshalError for a field of another type; unknown fields are ignored. */
export function policyOfV0(value: JsonObject): AbacPolicy {
  const read: FieldsOf<Rule> = decodeObject(value, V0, { mode: "Ignore" }).object;
  const [user, group] = [text(read.user), text(read.group)];
  const [resource, namespace] = [text(read.resource), text(read.namespace)];
  const anyUser = (user === "" && group === "") || user === "*" || group === "*";
  return {
    user: anyUser ? "" : user,
    group: anyUser ? ALL_AUTHENTICATED : group,
    readonly: read.readonly === true,
    apiGroup: "*",
    resource: resource === "" ? "*" : resource,
    namespace: namespace === "" ? "*" : namespace,
    nonResourcePath: resource === "" && namespace === "" ? "*" : "",
  };
}

/** A rule of v1beta1. Throws as {@link policyOfV0}. */
export function policyOfV1Beta1(value: JsonObject): AbacPolicy {
  const spec: FieldsOf<AbacPolicy> = object(decodeObject(value, V1BETA1, { mode: "Ignore" }).object["spec"]);
  const [user, group] = [text(spec.user), text(spec.group)];
  const anyUser = user === "*" || group === "*";
  return {
    user: anyUser ? "" : user,
    group: anyUser ? ALL_AUTHENTICATED : group,
    readonly: spec.readonly === true,
    apiGroup: text(spec.apiGroup),
    resource: text(spec.resource),
    namespace: text(spec.namespace),
    nonResourcePath: text(spec.nonResourcePath),
  };
}
