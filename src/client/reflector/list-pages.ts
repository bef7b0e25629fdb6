import { isGone } from "../../machinery/errors/status-error.js";
import type { ApiObject, KubeList } from "../../machinery/meta/object.js";
import type { ListOptions } from "../dynamic/resource-client.js";

export interface CompleteList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

const PAGE = 500;

/**
 * Reads all pages of a list. Items get the `kind` and `apiVersion` that lists of built-in kinds leave out. A token that expires
 * between two pages makes it read the list once more in one piece, as client-go's pager does.
 */
export async function listPages<T extends ApiObject>(
  list: (options: ListOptions) => Promise<KubeList<T>>,
  options: Omit<ListOptions, "limit" | "continue">,
  onPage: () => void,
): Promise<CompleteList<T>> {
  const items: T[] = [];
  let token = "";
  // The continue token holds the version: the server rejects a request with both.
  const { resourceVersion: _version, ...later } = options;
  for (;;) {
    try {
      const page = await list(token === "" ? { ...options, limit: PAGE } : { ...later, limit: PAGE, continue: token });
      onPage();
      for (const item of page.items) items.push(withKind(item, page));
      token = page.metadata.continue ?? "";
      if (token === "") return { items, resourceVersion: page.metadata.resourceVersion ?? "" };
    } catch (error) {
      if (token === "" || !isGone(error)) throw error;
      const whole = await list({ ...later, resourceVersion: "" });
      return {
        items: whole.items.map((item) => withKind(item, whole)),
        resourceVersion: whole.metadata.resourceVersion ?? "",
      };
    }
  }
}

function withKind<T extends ApiObject>(item: T, { kind, apiVersion }: { kind: string; apiVersion: string }): T {
  if (item.kind === undefined && kind.endsWith("List")) {
    item.kind = kind.slice(0, -"List".length);
    item.apiVersion = apiVersion;
  }
  return item;
}
