import { type FieldSpec, setFields, causedBy, wrap } from "../field-spec.js";
import { setField, setScalar, elements, field, lookup, NodeKindError } from "../fields.js";
import { Node, scalarNode, isMissingOrNull, isNilOrEmpty } from "../nodes/node.js";
import type { StringMap, Resource } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { isSelected, idEquals } from "../id.js";

/**
 * Adds labels or annotations to every field that the specs match. All fields of an object share the node of an entry, so that YAML
 * aliases match kustomize's.
 */
export function addEntries(list: ResourceList, entries: StringMap, specs: readonly FieldSpec[]): void {
  const names = Object.keys(entries).toSorted();
  for (const { node } of list.resources) {
    if (node === undefined) continue;
    for (const name of names) {
      const value = new Node("scalar", "!!str", entries[name] ?? "");
      for (const spec of specs) {
        setFields(node, spec, {
          set: (found) => void setField(found, name, value),
          create: { kind: "mapping", tag: "!!map" },
        });
      }
    }
  }
}

/** Their names are given by what they hold, or by the objects that refer to them. */
const UNTOUCHED = [
  { group: "", version: "", kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", version: "", kind: "APIService" },
  { group: "", version: "", kind: "Namespace" },
];

/** Adds a prefix or a suffix to names. */
export function affixNames(
  list: ResourceList,
  side: "prefix" | "suffix",
  affix: string,
  specs: readonly FieldSpec[],
): void {
  for (const resource of list.resources) {
    const id = resource.originalId;
    if (UNTOUCHED.some((gvk) => isSelected(id, gvk))) continue;
    for (const spec of specs) {
      if (!isSelected(id, spec) || resource.node === undefined) continue;
      if (spec.path === "metadata/name") {
        if (side === "prefix") resource.addPrefix(affix);
        else resource.addSuffix(affix);
        if (affix !== "") resource.storePreviousId();
      }
      setFields(resource.node, spec, {
        set: (node) =>
          setScalar(node, scalarNode(side === "prefix" ? `${affix}${node.value}` : `${node.value}${affix}`)),
        create: { kind: "scalar", tag: "!!str" },
      });
    }
  }
}

/** The subjects of role bindings whose namespace is changed: accounts named "default", all service accounts, or none. */
export type SubjectMode = "defaultOnly" | "allServiceAccounts" | "none";

export interface NamespaceSetting {
  readonly namespace: string;
  readonly specs: readonly FieldSpec[];
  /** Default: "defaultOnly". Other subjects are found by their names later. */
  readonly subjects?: SubjectMode;
  /** A namespace that is there already stays. */
  readonly unsetOnly?: boolean;
}

/** Sets the namespace of every object that can have one, and of the references to it. */
export function setNamespaces(list: ResourceList, setting: NamespaceSetting): void {
  for (const resource of list.resources) {
    if (resource.isEmpty) continue;
    resource.storePreviousId();
    setNamespace(resource, setting);
    const { id } = resource;
    const matches = list.withCurrentId((other) => idEquals(id, other));
    if (matches.length !== 1) {
      const shown = matches.map((match) => match.toJson()).join(" ");
      throw new Error(`namespace transformation produces ID conflict: [${shown}]`);
    }
  }
}

/** Sets the namespace of one object without recording its previous id. */
export function setNamespace(resource: Resource, setting: NamespaceSetting): void {
  const { node, kind } = resource;
  if (node === undefined) return;
  const { namespace, specs, subjects = "defaultOnly", unsetOnly = false } = setting;
  const apiVersion = node.get("apiVersion")?.value ?? "";
  const set = (found: Node): void => {
    if (unsetOnly && hasValue(found)) return;
    setScalar(found, new Node("scalar", "!!str", namespace));
  };
  const creating = { set, create: { kind: "scalar" as const, tag: "!!str" } };
  if (!resource.id.clusterScoped) {
    const path: FieldSpec = { group: "", version: "", kind: "", path: "metadata/namespace", create: true };
    setFields(node, path, { set, create: { kind: "scalar", tag: "" } });
  }
  const isBinding = kind === "RoleBinding" || kind === "ClusterRoleBinding";
  if (isBinding) setSubjects(node, subjects, set);
  try {
    for (const spec of specs) {
      if (spec.path === "metadata/namespace") continue;
      if (apiVersion !== "v1" && spec.path === "metadata/name") continue;
      if (isBinding && /^(?:Cluster)?RoleBinding$/.test(spec.kind) && spec.path === "subjects/namespace") continue;
      setFields(node, spec, creating);
    }
  } catch (error) {
    const misplaced = causedBy(error, NodeKindError);
    if (misplaced !== undefined && misplaced.actual !== "scalar") {
      throw wrap(error, "namespace field specs must target scalar nodes");
    }
    throw wrap(error, "namespace transformation failed");
  }
}

const hasValue = (node: Node): boolean => !isNilOrEmpty(node) && node.kind === "scalar" && node.value !== "";

/** By which member, with which value, a mode knows the subjects that it moves. */
const MOVED: Readonly<Record<SubjectMode, { readonly member: string; readonly value: string } | undefined>> = {
  defaultOnly: { member: "name", value: "default" },
  allServiceAccounts: { member: "kind", value: "ServiceAccount" },
  none: undefined,
};

function setSubjects(object: Node, mode: SubjectMode, set: (namespace: Node) => void): void {
  const moved = MOVED[mode];
  const subjects = moved === undefined ? undefined : field(object, "subjects");
  if (moved === undefined || subjects === undefined || isMissingOrNull(subjects)) return;
  try {
    for (const subject of elements(subjects)) {
      if (field(subject, moved.member)?.value !== moved.value) continue;
      const held = lookup(subject, ["namespace"], "scalar");
      if (held !== undefined) set(held);
    }
  } catch (error) {
    throw wrap(error, "setting namespace on (cluster)role binding subjects");
  }
}
