import { BUILD } from "../annotations.js";
import type { ResourceList } from "../resource-list.js";
import { hashOf } from "../../polymorphic-helpers/content-hash.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { Resource } from "../resource.js";
import { toValue } from "../value.js";

/** Appends the hash of its content to the name of each generated object that requests one. */
export function addHashes(list: ResourceList): void {
  for (const resource of list.resources) {
    if (!resource.isEnabled(BUILD.needsHashSuffix)) continue;
    const hash = contentHashOf(resource);
    resource.storePreviousId();
    resource.name = `${resource.name}-${hash}`;
  }
}

/** The letters behind a generated name. What decides them is the data only: kustomize does not hash the name. */
function contentHashOf(resource: Resource): string {
  const member = (name: string): JsonValue => {
    const node = resource.node?.get(name);
    if (node === undefined) return "";
    return node.kind === "scalar" ? node.value : toValue(node);
  };
  const optional = (name: string): JsonValue | undefined => {
    const value = member(name);
    return isJsonObject(value) ? value : undefined;
  };
  const data = member("data");
  if (resource.kind === "Secret") {
    return hashOf({ kind: "Secret", type: member("type"), name: "", data, stringData: optional("stringData") });
  }
  return hashOf({ kind: "ConfigMap", name: "", data, binaryData: optional("binaryData") });
}
