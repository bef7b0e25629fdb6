import { type FieldSpec, setFields } from "../field-spec.js";
import { setField } from "../fields.js";
import { Node } from "../nodes/node.js";
import type { StringMap } from "../resource.js";
import type { ResourceList } from "../resource-list.js";

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
