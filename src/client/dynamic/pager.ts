import { isGone } from "../../machinery/errors/status-error.js";
import type { ApiObject, KubeList } from "../../machinery/meta/object.js";
import type { ListParameters } from "./object-request.js";

/** Reads one page of a list. */
export type ListPage<T extends ApiObject> = (parameters: ListParameters) => Promise<KubeList<T>>;

/** client-go's size of a page. */
const PAGE_SIZE = 500;

/**
 * Reads a list in pages and answers it whole, with the metadata of its last page. When the server no longer has the snapshot
 * that the pages are of (410), it reads the list again without pages.
 */
export async function listInPages<T extends ApiObject>(
  list: ListPage<T>,
  parameters: Omit<ListParameters, "continue">,
): Promise<KubeList<T>> {
  const items: T[] = [];
  for await (const { page, restarted } of pages(list, parameters)) {
    if (restarted) items.length = 0;
    for (const item of page.items) items.push(item);
    if (!page.metadata.continue) return { ...page, items };
  }
  throw new Error("unreachable: the last page has no continue token");
}

/**
 * Yields the items of a list page by page, each once. When the server no longer has the snapshot that the pages are of (410),
 * it reads the list again without pages and yields the items that it has not yielded yet.
 */
export async function* eachInPages<T extends ApiObject>(
  list: ListPage<T>,
  parameters: Omit<ListParameters, "continue">,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  for await (const { page, restarted } of pages(list, parameters)) {
    for (const item of page.items) {
      const id = item.metadata?.uid ?? `${item.metadata?.namespace}/${item.metadata?.name}`;
      if (restarted && seen.has(id)) continue;
      // The last page needs no record.
      if (page.metadata.continue) seen.add(id);
      yield item;
    }
  }
}

/** A page is `restarted` when it is the whole list again. */
async function* pages<T extends ApiObject>(
  list: ListPage<T>,
  parameters: Omit<ListParameters, "continue">,
): AsyncGenerator<{ readonly page: KubeList<T>; readonly restarted: boolean }, void, undefined> {
  let page = await list({ limit: PAGE_SIZE, ...parameters });
  yield { page, restarted: false };
  // The token contains the resourceVersion. The server rejects a request with both.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...later } = parameters;
  while (page.metadata.continue) {
    try {
      page = await list({ limit: PAGE_SIZE, ...later, continue: page.metadata.continue });
    } catch (error) {
      if (!isGone(error)) throw error;
      page = await list({ ...parameters, limit: 0 });
      yield { page, restarted: true };
      return;
    }
    yield { page, restarted: false };
  }
}
