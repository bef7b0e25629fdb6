import { DEFAULT_ORDER, gvkEquals, gvkKey, gvkText, type Rank, rankOf, type ResId } from "../id.js";
import type { SortOptions } from "../kustomization.js";
import type { ResourceList } from "../resource-list.js";

/** Sorts as kustomize always did (namespaces first, webhooks last), or as the options say; "fifo" leaves the order as it is. */
export function sortResources(list: ResourceList, options: SortOptions): void {
  const { order = "", legacySortOptions } = options;
  if (order !== "fifo" && order !== "legacy") {
    throw new Error("the field 'sortOptions.order' must be one of [fifo, legacy]");
  }
  if (order === "fifo") {
    if (legacySortOptions === undefined) return;
    throw new Error(
      "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
    );
  }
  const { orderFirst = [], orderLast = [] } = legacySortOptions ?? DEFAULT_ORDER;
  const rank = rankOf({ orderFirst, orderLast });
  const sorted = list.resources.map((resource) => ({ resource, id: resource.id }));
  sorted.sort((a, b) => compare(a.id, b.id, rank));
  list.resources = [];
  list.appendAll(sorted.map(({ resource }) => resource));
}

function compare(a: ResId, b: ResId, rank: Rank): number {
  if (gvkEquals(a, b)) return byText(idKey(a), idKey(b));
  const [left, right] = [rank.get(a.kind) ?? 0, rank.get(b.kind) ?? 0];
  if (left !== right) return left - right;
  const turned = a.kind === "Namespace" && b.kind === "Namespace" && (a.group === "" || b.group === "");
  return turned ? byText(gvkKey(b), gvkKey(a)) : byText(gvkKey(a), gvkKey(b));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const or = (text: string, none: string): string => (text === "" ? none : text);
const idKey = (id: ResId): string => `${gvkText(id)}|${or(id.namespace, "~X")}|${or(id.name, "~N")}`;
