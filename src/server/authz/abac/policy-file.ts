import { errorMessage } from "../../../base/text/error-message.js";
import { readText } from "../../../base/files/read-file.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { statedKind } from "../../../machinery/wire/stated-kind.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import { isJsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import { parseYaml } from "../../../machinery/text/yaml/read.js";
import { type AbacPolicy, policyOfV0, policyOfV1Beta1 } from "./policy.js";

const GROUP = "abac.authorization.kubernetes.io";

/**
 * Reads a policy file: a rule a line, in JSON; empty lines and those that begin with # are skipped. Rejects in kube-apiserver's
 * words, which name the file, the line and what is in it.
 */
export async function readPolicyFile(file: string): Promise<readonly AbacPolicy[]> {
  return policiesIn(await readText(file), file);
}

/** The rules of a policy file's text. Throws as {@link readPolicyFile}; `file` is what errors call it. */
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
