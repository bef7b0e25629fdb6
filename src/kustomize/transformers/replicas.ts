import { type FieldSpec, setFields } from "../field-spec.js";
import { setScalar } from "../fields.js";
import { gvkText, isSelected } from "../id.js";
import { Node } from "../nodes/node.js";
import type { ResourceList } from "../resource-list.js";

/** Sets how many replicas the objects of a name have; throws when there is none of a kind that has replicas. */
export function setReplicas(
  list: ResourceList,
  name: string,
  count: number | bigint,
  specs: readonly FieldSpec[],
): void {
  let found = false;
  for (const spec of specs) {
    for (const { node } of list.withAnyId((id) => id.name === name && isSelected(id, spec))) {
      found = true;
      if (node === undefined) continue;
      setFields(node, spec, {
        set: (replicas) => setScalar(replicas, new Node("scalar", "!!int", String(count))),
        create: { kind: "scalar", tag: "!!int" },
      });
    }
  }
  if (!found) {
    const kinds = specs.map(gvkText).join(" ");
    throw new Error(`resource with name ${name} does not match a config with the following GVK [${kinds}]`);
  }
}
