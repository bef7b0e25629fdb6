import type { KubeList, KubeObject, ListOptions, WatchOptions } from "../../src/client/index.js";
import type { WatchEvent } from "../../src/client/index.js";
import type { ListWatch } from "../../src/client/reflector/list-watch.js";

/** The next answer. Lists and watches come in the order of the script, or the test fails. */
export type Answer =
  | { readonly list: readonly KubeObject[]; readonly version: string; readonly continue?: string }
  | { readonly list: Error | "silence" }
  /** Events, then the end of the watch, an error, or a connection that stays open. */
  | { readonly watch: readonly WatchEvent[]; readonly ends: "normally" | "silence" | Error };

/** A collection whose answers a test writes down: for faults that no server can be brought to at a given moment. */
export class ScriptedListWatch implements ListWatch {
  /** "list limit=500 resourceVersion=0", "watch resourceVersion=7": what was asked for, without time limits and bookmarks. */
  readonly requests: string[] = [];
  readonly watchSeconds: number[] = [];
  /** Requests that the script does not have. */
  readonly unexpected: string[] = [];
  /** False for a source that does not end when its signal aborts. */
  followsSignal = true;
  readonly #script: Answer[];

  constructor(...script: Answer[]) {
    this.#script = script;
  }

  /** Answers that were not asked for. */
  get unused(): number {
    return this.#script.length;
  }

  async list({ signal, ...options }: ListOptions): Promise<KubeList> {
    const request = this.#note("list", options);
    const [next] = this.#script;
    if (next === undefined || !("list" in next)) return this.#unexpected(request);
    this.#script.shift();
    if (next.list === "silence") return this.#open(signal);
    if (next.list instanceof Error) throw next.list;
    if (!("version" in next)) throw new Error("a list needs a version");
    const metadata = { resourceVersion: next.version, ...(next.continue !== undefined && { continue: next.continue }) };
    return { kind: "ConfigMapList", apiVersion: "v1", metadata, items: [...next.list] };
  }

  async *watchBatches({ signal, timeoutSeconds, ...options }: WatchOptions): AsyncGenerator<readonly WatchEvent[]> {
    this.watchSeconds.push(timeoutSeconds ?? 0);
    const request = this.#note("watch", options);
    const [next] = this.#script;
    if (next === undefined || !("watch" in next)) return this.#unexpected(request);
    this.#script.shift();
    if (next.watch.length > 0) yield next.watch;
    if (next.ends instanceof Error) throw next.ends;
    if (next.ends === "silence") await this.#open(signal);
  }

  #note(verb: string, options: object): string {
    const given = Object.entries(options).filter(([name]) => name !== "allowWatchBookmarks");
    const asked = given.map(([name, value]) => ` ${name}=${value}`);
    const request = verb + asked.sort().join("");
    this.requests.push(request);
    return request;
  }

  #unexpected(request: string): never {
    this.unexpected.push(request);
    throw new Error(`the script has no answer to: ${request}`);
  }

  #open(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_resolve, reject) => {
      if (this.followsSignal) signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    });
  }
}

export const configMap = (name: string, version: string, data: Readonly<Record<string, string>> = {}): KubeObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "default", uid: `uid of ${name}`, resourceVersion: version },
  data,
});

export const bookmark = (version: string, annotations: Readonly<Record<string, string>> = {}): WatchEvent => ({
  type: "BOOKMARK",
  object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: version, annotations } },
});
