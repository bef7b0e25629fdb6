import { type FieldSpec, setFields } from "../field-spec.js";
import { setField, setScalar } from "../fields.js";
import { Node, scalarNode } from "../nodes/node.js";
import type { StringMap } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { isSelected } from "../id.js";

/** Adds labels or annotations in every field that the specs lead to. One entry is one node in all the fields of an object. */
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

/** Puts a prefix before names, or a suffix behind them. */
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
