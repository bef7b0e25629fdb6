import { idEquals, idText } from "./id.js";
import type { Resource } from "./resource.js";
import { ResourceList } from "./resource-list.js";
import { sameNode } from "./nodes/node.js";
import type { Transform } from "./transformers/patches.js";

/** The one thing that a validator may put on an object. */
const VALIDATED_BY = "validated-by";

/** Runs a validator over the objects. Throws its error, and an error when it has changed an object. */
export function validate(list: ResourceList, validator: Transform): void {
  const before = list.resources.map((resource) => resource.copy());
  const given = new ResourceList();
  given.resources = list.resources;
  validator(given);
  const after = list.resources.map((resource) => withoutValidatedBy(resource.copy()));
  try {
    for (const resource of before) requireUnchanged(resource, after);
  } catch (error) {
    throw new Error(`validator shouldn't modify the resource map: ${(error as Error).message}`, { cause: error });
  }
}

function withoutValidatedBy(resource: Resource): Resource {
  const { [VALIDATED_BY]: validatedBy, ...labels } = resource.labels;
  if (validatedBy !== undefined) resource.labels = labels;
  return resource;
}

function requireUnchanged(before: Resource, all: readonly Resource[]): void {
  const { id } = before;
  const found = all.filter((resource) => idEquals(id, resource.id));
  const [after] = found;
  if (after === undefined) throw new Error(`id in self missing from other; id: ${idText(id)}`);
  if (found.length > 1) throw new Error(`id in self matches ${found.length} in other; id: ${idText(id)}`);
  if (sameNode(before.node, after.node)) return;
  throw new Error(
    `nodes unequal: \n -- ${before.toJson()},\n -- ${after.toJson()}\n\n--\n${sharpV(before)}\n------\n${sharpV(after)}\n`,
  );
}

/** As Go's %#v shows it; Go shows the node's place in memory too. */
function sharpV({ vars }: Resource): string {
  const names = vars.length === 0 ? "(nil)" : `{${vars.map((name) => JSON.stringify(name)).join(", ")}}`;
  return `&resource.Resource{RNode:yaml.RNode{fieldPath:[]string(nil), value:(*yaml.Node)(0x0), ShouldKeep:false, Match:[]string(nil)}, refVarNames:[]string${names}}`;
}
