import type { KubeObject } from "../machinery/meta/object.js";
import type { Info } from "./info.js";
import type { InfoMaker } from "./info-maker.js";
import { isList, listItems } from "./is-list.js";
import { throwAll, type Visitor } from "./visitor.js";

/** Visits the items of a list instead of the list. All of them, whichever fail; none, when one is a list itself. */
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
