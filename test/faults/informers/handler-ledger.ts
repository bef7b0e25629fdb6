import type { KubeObject } from "../../../src/client/index.js";
import { type EventHandler, objectKey } from "../../../src/client/informers/index.js";
import { compareResourceVersions } from "../../../src/machinery/meta/resource-version.js";

/** The state that a handler knows from its calls alone, and the calls that no legal sequence of calls has. */
export class HandlerLedger implements EventHandler<KubeObject> {
  readonly state = new Map<string, KubeObject>();
  readonly wrong: string[] = [];
  calls = 0;
  /** The newest version of each object, kept beyond its deletion. */
  readonly #versions = new Map<string, string>();
  /** The keys whose versions began anew since history was lost; undefined while no version may. */
  #begunAnew: Set<string> | undefined;

  constructor(private readonly afterCall: (calls: number) => void | Promise<void>) {}

  /** True from a loss of history until the informer has caught up: each object's versions may begin anew, once. */
  set historyIsLost(lost: boolean) {
    this.#begunAnew = lost ? new Set() : undefined;
    if (!lost) for (const key of this.#versions.keys()) if (!this.state.has(key)) this.#versions.delete(key);
  }

  added(object: KubeObject): void | Promise<void> {
    const key = objectKey(object);
    if (this.state.has(key)) this.wrong.push(`added ${describe(object)}, which was there`);
    this.#see(key, object, "added");
    return this.afterCall(++this.calls);
  }

  updated(before: KubeObject, after: KubeObject): void | Promise<void> {
    const key = objectKey(after);
    const known = this.state.get(key);
    if (known === undefined) this.wrong.push(`updated ${describe(after)}, which was not there`);
    else if (describe(known) !== describe(before))
      this.wrong.push(`updated from ${describe(before)} what was ${describe(known)}`);
    this.#see(key, after, "updated");
    return this.afterCall(++this.calls);
  }

  deleted(object: KubeObject): void | Promise<void> {
    const key = objectKey(object);
    if (!this.state.delete(key)) this.wrong.push(`deleted ${describe(object)}, which was not there`);
    const version = object.metadata?.resourceVersion ?? "";
    const known = this.#versions.get(key);
    if (known === undefined || (compareResourceVersions(version, known) ?? 0) > 0) this.#versions.set(key, version);
    return this.afterCall(++this.calls);
  }

  #see(key: string, object: KubeObject, call: string): void {
    const version = object.metadata?.resourceVersion ?? "";
    const known = this.#versions.get(key);
    const order = known === undefined ? 1 : (compareResourceVersions(version, known) ?? 0);
    const goesBack = order < 0 || (order === 0 && call === "added");
    if (goesBack && (this.#begunAnew === undefined || this.#begunAnew.has(key)))
      this.wrong.push(`${call} ${describe(object)} after version ${known}`);
    if (goesBack) this.#begunAnew?.add(key);
    this.#versions.set(key, version);
    this.state.set(key, object);
  }
}

export const describe = (object: KubeObject): string =>
  `${objectKey(object)} (version ${object.metadata?.resourceVersion}, uid ${object.metadata?.uid})`;
