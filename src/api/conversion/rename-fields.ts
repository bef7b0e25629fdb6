import type { KubeObject } from "../../machinery/meta/object.js";

/** A copy with some fields renamed; the order of fields is kept. */
export function renameFields(source: KubeObject, names: Readonly<Record<string, string>>): KubeObject {
  const renamed: KubeObject = {};
  for (const [field, value] of Object.entries(source)) {
    renamed[Object.hasOwn(names, field) ? (names[field] ?? field) : field] = value;
  }
  return renamed;
}
