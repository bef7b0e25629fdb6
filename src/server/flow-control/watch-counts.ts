import { parseFieldSelector } from "../../machinery/selectors/field-selector.js";
import type { ApiRequest } from "../request/api-request.js";
import type { RequestInfo } from "../request/request-info.js";

type Watched = Pick<RequestInfo, "apiGroup" | "resource" | "namespace" | "name">;

/** The field by which the watch cache of a resource finds the watches of an object. Watches of one value of it hardly cost a write anything. */
const INDEXED_FIELD: ReadonlyMap<string, string> = new Map([["pods", "spec.nodeName"]]);

/**
 * Counts open watches by resource and selection, so that the number of watchers that a write must notify is known. Source:
 * kube-apiserver's watchTracker.
 */
export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the returned function is called. */
  open({ info, exchange }: Pick<ApiRequest, "info" | "exchange">): () => void {
    const field = INDEXED_FIELD.get(info.resource);
    const selector = exchange.query.get("fieldSelector");
    if (field !== undefined && valueOf(selector, field) !== "") return () => {};
    const key = keyOf({ ...info, name: nameOf(info, selector) });
    this.#add(key, 1);
    return () => this.#add(key, -1);
  }

  /** Returns how many watches a write of the request would be told to. */
  interested({ apiGroup, resource, namespace, name }: Watched): number {
    let count = this.#of({ apiGroup, resource, namespace: "", name: "" });
    if (namespace !== "") count += this.#of({ apiGroup, resource, namespace, name: "" });
    if (name !== "") count += this.#of({ apiGroup, resource, namespace, name });
    return count;
  }

  #of(watched: Watched): number {
    return this.#counts.get(keyOf(watched)) ?? 0;
  }

  #add(key: string, one: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + one;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

/** The one object that a request selects, by its path or by its field selector; "" for all. */
export const nameOf = ({ name }: Pick<RequestInfo, "name">, fieldSelector: string | null): string =>
  name !== "" || fieldSelector?.includes("metadata.name") !== true ? name : valueOf(fieldSelector, "metadata.name");

/** The value that a selector requires of a field; "" for none. */
function valueOf(selector: string | null, field: string): string {
  if (selector === null || selector === "") return "";
  try {
    return parseFieldSelector(selector).requiredValue(field) ?? "";
  } catch {
    // The request will be refused for its selector.
    return "";
  }
}

const keyOf = ({ apiGroup, resource, namespace, name }: Watched): string =>
  `${apiGroup}/${resource}/${namespace}/${name}`;
