import type { KubeObject } from "../machinery/meta/object.js";
import type { Info } from "./info.js";
import type { InfoMaker } from "./info-maker.js";
import { throwAll, type Visitor } from "./visitor.js";

/** Whether it holds items: a List, or the list of a kind. */
export function isList(object: KubeObject): object is KubeObject & { readonly items: readonly KubeObject[] } {
  return Array.isArray(object["items"]);
}

/** The items of a list as objects of their own: an item without kind and apiVersion takes them from a "ThingList". */
export function listItems(list: KubeObject & { readonly items: readonly KubeObject[] }): readonly KubeObject[] {
  const kind = (list.kind ?? "").replace(/List$/, "");
  return list.items.map((item) =>
    (item.kind ?? "") === "" && (item.apiVersion ?? "") === ""
      ? { apiVersion: list.apiVersion ?? "", kind, ...item }
      : item,
  );
}

/** Visits the items of a list in place of the list: all of them, even if some fail; none, if one of them is a list itself. */
export function flatten(inner: Visitor, maker: InfoMaker): Visitor {
  return {
    visit: (fn, failed) =>
      inner.visit(async (info) => {
        if (info.object === undefined || !isList(info.object)) return fn(info);
        const failures: unknown[] = [];
        for (const object of plainItems(listItems(info.object))) {
          await maker
            .fromItem(object, info.source)
            .then((item) => fn(inherit(item, info)))
            .catch((error: unknown) => void failures.push(error));
        }
        throwAll(failures);
      }, failed),
  };
}

function plainItems(items: readonly KubeObject[]): readonly KubeObject[] {
  if (items.some(isList)) {
    throw new Error("*unstructured.Unstructured is not a list: no Items field in this object");
  }
  return items;
}

function inherit(item: Info, { resourceVersion }: Info): Info {
  if (resourceVersion !== undefined && resourceVersion !== "") item.resourceVersion = resourceVersion;
  return item;
}
