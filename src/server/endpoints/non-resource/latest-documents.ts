import type { ServedApi } from "../../../api/facts/index.js";
import type { CachedDocument } from "./cached-document.js";

/**
 * The documents of the newest API that a client has read some of. A request that still holds an older API makes its
 * document anew: a watch of hours must not keep the documents of its time in memory.
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
