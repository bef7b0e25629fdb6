import { join } from "node:path/posix";
import { splitPath } from "../field-spec.js";
import { lookup, requireKind, setScalar } from "../fields.js";
import type { Selector } from "../kustomization.js";
import { scalarNode } from "../nodes/node.js";
import type { Resource } from "../resource.js";
import type { ResourceList } from "../resource-list.js";
import { select } from "../select.js";
import { setNamespace } from "./metadata-fields.js";

/** The fields that receive a value. */
export interface ValueTarget {
  /** All objects where there is none. */
  readonly selector?: Selector;
  /** With slashes: "spec/nfs/path". What is missing on the way is made. */
  readonly fieldPath?: string;
  /** The field holds a file path, and the value becomes its part of this number, counted from one; 0: the value is set. */
  readonly filePathPosition?: number;
}

/** Writes one value into fields of objects. */
export function addValue(list: ResourceList, value: string, targets: readonly ValueTarget[]): void {
  for (const { selector, fieldPath = "", filePathPosition = 0 } of targets) {
    const selected = selector === undefined ? list.resources : select(list.resources, selector);
    for (const resource of selected) {
      if (fieldPath === "metadata/namespace") setNamespace(resource, { namespace: value, specs: [] });
      else setValue(resource, value, fieldPath, filePathPosition);
    }
  }
}

function setValue({ node }: Resource, value: string, fieldPath: string, position: number): void {
  const field = lookup(node, splitPath(fieldPath, "/"), "scalar");
  if (field === undefined) return;
  requireKind(field, "scalar");
  setScalar(field, scalarNode(position > 0 ? insertPart(field.value, position - 1, value) : value));
}

/** The value as a part of a path, behind so many others; behind all where there are fewer. An absolute path stays one. */
function insertPart(path: string, position: number, value: string): string {
  const relative = path.replace(/^\/+/, "");
  const parts = relative === "" ? [] : relative.split("/");
  parts.splice(position, 0, value);
  return `${path.startsWith("/") ? "/" : ""}${join(...parts)}`;
}
