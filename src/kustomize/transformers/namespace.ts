import { causedBy, type FieldSpec, setFields, wrap } from "../field-spec.js";
import { elements, field, lookup, NodeKindError, setScalar } from "../fields.js";
import { idEquals } from "../id.js";
import { isMissingOrNull, Node } from "../node.js";
import type { Resource } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { toValue } from "../value.js";

/** Puts everything that can be in a namespace into this one, with what refers to it by namespace. */
export function setNamespaces(list: ResourceList, namespace: string, specs: readonly FieldSpec[]): void {
  for (const resource of list.resources) {
    if (resource.isEmpty) continue;
    resource.storePreviousId();
    setNamespace(resource, namespace, specs);
    const { id } = resource;
    const matches = list.withCurrentId((other) => idEquals(id, other));
    if (matches.length !== 1) {
      const shown = matches.map(({ node }) => JSON.stringify(toValue(node))).join(" ");
      throw new Error(`namespace transformation produces ID conflict: [${shown}]`);
    }
  }
}

function setNamespace(resource: Resource, namespace: string, specs: readonly FieldSpec[]): void {
  const { node, kind } = resource;
  if (node === undefined) return;
  const apiVersion = node.get("apiVersion")?.value ?? "";
  const setting = {
    set: (found: Node): void => setScalar(found, new Node("scalar", "!!str", namespace)),
    create: { kind: "scalar" as const, tag: "!!str" },
  };
  if (!resource.id.clusterScoped) {
    const path: FieldSpec = { group: "", version: "", kind: "", path: "metadata/namespace", create: true };
    setFields(node, path, setting);
  }
  const isBinding = kind === "RoleBinding" || kind === "ClusterRoleBinding";
  if (isBinding) setDefaultSubjects(node, namespace);
  try {
    for (const spec of specs) {
      if (spec.path === "metadata/namespace") continue;
      if (apiVersion !== "v1" && spec.path === "metadata/name") continue;
      if (isBinding && /^(?:Cluster)?RoleBinding$/.test(spec.kind) && spec.path === "subjects/namespace") continue;
      setFields(node, spec, setting);
    }
  } catch (error) {
    const misplaced = causedBy(error, NodeKindError);
    if (misplaced !== undefined && misplaced.actual !== "scalar") {
      throw wrap(error, "namespace field specs must target scalar nodes");
    }
    throw wrap(error, "namespace transformation failed");
  }
}

/** Of subjects, only accounts named "default" are moved; others are found by their names later. */
function setDefaultSubjects(object: Node, namespace: string): void {
  const subjects = field(object, "subjects");
  if (subjects === undefined || isMissingOrNull(subjects)) return;
  try {
    for (const subject of elements(subjects)) {
      if (field(subject, "name")?.value !== "default") continue;
      const held = lookup(subject, ["namespace"], "scalar");
      if (held !== undefined) setScalar(held, new Node("scalar", "!!str", namespace));
    }
  } catch (error) {
    throw wrap(error, "setting namespace on (cluster)role binding subjects");
  }
}
