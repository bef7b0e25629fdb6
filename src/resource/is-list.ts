import type { KubeObject } from "../machinery/meta/object.js";

/** Whether it holds items: a List, or the list of a kind. */
export function isList(object: KubeObject): object is KubeObject & { readonly items: readonly KubeObject[] } {
  return Array.isArray(object["items"]);
}

/** Items as objects of their own: one without kind and apiVersion takes them from a "ThingList" around it. */
export function listItems(list: KubeObject & { readonly items: readonly KubeObject[] }): readonly KubeObject[] {
  const kind = (list.kind ?? "").replace(/List$/, "");
  return list.items.map((item) =>
    (item.kind ?? "") === "" && (item.apiVersion ?? "") === ""
      ? { apiVersion: list.apiVersion ?? "", kind, ...item }
      : item,
  );
}
