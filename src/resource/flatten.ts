import type { KubeObject } from "../machinery/meta/object.js";
import type { Info } from "./info.js";
import type { InfoMaker } from "./info-maker.js";
import { isList, listItems } from "./is-list.js";
import { throwAll, type Visitor } from "./visitor.js";

/** Visits the items of a list, lists in lists included, instead of the list. All of them, whichever fail. */
export function flatten(inner: Visitor, maker: InfoMaker): Visitor {
  return {
    visit: (fn, failed) =>
      inner.visit(async (info) => {
        if (info.object === undefined || !isList(info.object)) return fn(info);
        const failures: unknown[] = [];
        for (const object of leaves(info.object)) {
          await maker
            .fromItem(object, info.source)
            .then((item) => fn(inherit(item, info)))
            .catch((error: unknown) => void failures.push(error));
        }
        throwAll(failures);
      }, failed),
  };
}

/** Breadth first, as kubectl takes nested lists. */
function leaves(list: KubeObject): readonly KubeObject[] {
  const found: KubeObject[] = [];
  const queue: KubeObject[] = [list];
  for (const object of queue) {
    if (isList(object)) queue.push(...listItems(object));
    else found.push(object);
  }
  return found;
}

function inherit(item: Info, { resourceVersion }: Info): Info {
  if (resourceVersion !== undefined && resourceVersion !== "") item.resourceVersion = resourceVersion;
  return item;
}
