import type { ServedApi } from "../../../api/facts/index.js";
import type { CachedDocument } from "./cached-document.js";

/**
 * Keeps the documents of the newest API of which a client has read any. A request that holds an older API makes its document anew, so that a
 * watch of hours does not keep old documents in memory.
 */
export class LatestDocuments {
  #api: ServedApi | undefined;
  readonly #documents = new Map<string, CachedDocument>();

  get(api: ServedApi, name: string, make: () => CachedDocument): CachedDocument {
    if (this.#api !== undefined && api.epoch < this.#api.epoch) return make();
    if (this.#api !== api) this.#documents.clear();
    this.#api = api;
    let document = this.#documents.get(name);
    if (document === undefined) {
      document = make();
      this.#documents.set(name, document);
    }
    return document;
  }
}
