import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";
import { pause } from "../pause.js";
import { emptyNamespace, namespacedCollections } from "./empty-namespace.js";

const RETRY_MS = 1000;

/** Empties namespaces that are being deleted, each on its own; what is held is looked at again until it is gone. */
export class NamespaceController {
  /** By uid: a name can be taken again before the work for the old one notices. */
  readonly #emptying = new Map<string, Promise<void>>();
  #collections: Promise<readonly string[]> | undefined;

  constructor(
    private readonly api: Api,
    private readonly signal: AbortSignal,
    private readonly report: (error: unknown) => void,
  ) {}

  /** To be called for a namespace that is being deleted. Returns at once; one that is worked on is left to it. */
  empty(namespace: KubeObject): void {
    const uid = namespace.metadata?.uid ?? "";
    if (this.#emptying.has(uid)) return;
    const work = this.#run(namespace).finally(() => this.#emptying.delete(uid));
    this.#emptying.set(uid, work);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#emptying.values());
  }

  async #run(namespace: KubeObject): Promise<void> {
    while (!this.signal.aborted) {
      try {
        this.#collections ??= namespacedCollections(this.api);
        if (await emptyNamespace(this.api, namespace, await this.#collections)) return;
      } catch (error) {
        if (this.signal.aborted) return;
        this.#collections = undefined;
        this.report(error);
      }
      await pause(RETRY_MS, this.signal);
    }
  }
}
