import { isStatusError } from "../../src/machinery/errors/status-error.js";
import type { ListObjectsOptions, ObjectStore, StoredObject } from "../../src/server/storage/store.js";
import { must, type Scope } from "./model.js";
import { localPrefix, predicateOf } from "./watcher.js";
import type { World } from "./world.js";

/** A list that is being read in pages, while writes go on and servers come and go. */
interface Reading {
  readonly resource: string;
  readonly scope: Scope;
  /** The least revision it may show. */
  readonly low: number;
  /** The first key it may show: it goes on without consistency where an older one expired. */
  from: string;
  /** Of all pages. */
  resourceVersion: string | undefined;
  items: StoredObject[];
  token: string | undefined;
}

/** Reads lists page by page; all pages together must be one state. */
export class Pager {
  #reading: Reading | undefined;
  #busy = false;

  constructor(private readonly world: World) {}

  /** The resource of the list that is being read. */
  get resource(): string | undefined {
    return this.#reading?.resource;
  }

  /** The next page of the current list, or the first of the list described. */
  async next(store: ObjectStore, resource: string, scope: Scope, first: ListObjectsOptions): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const { world } = this;
      const { resourceVersion } = first;
      const low = resourceVersion === undefined ? world.known() : Number(resourceVersion);
      const begin: Reading = {
        resource,
        scope,
        low,
        from: "",
        resourceVersion: undefined,
        items: [],
        token: undefined,
      };
      const reading = (this.#reading ??= begin);
      await (reading.token === undefined
        ? this.#read(store, reading, first)
        : this.#read(store, reading, { limit: first.limit, continue: reading.token }));
    } finally {
      this.#busy = false;
    }
  }

  async #read(store: ObjectStore, reading: Reading, options: ListObjectsOptions): Promise<void> {
    const { world } = this;
    const { scope } = reading;
    try {
      const page = await store.list(localPrefix(scope), { ...predicateOf(scope), ...options });
      reading.resourceVersion ??= page.resourceVersion;
      world.count("pages");
      const { limit = 0 } = options;
      const whole = options.resourceVersion === "0" && page.continue === undefined;
      must(whole || page.items.length <= limit, () => `a page of ${page.items.length} where ${limit} were asked for`);
      must(page.continue === undefined || page.items.length === limit, () => "a page is not full and has a next one");
      must(
        page.resourceVersion === reading.resourceVersion,
        () => `a page shows ${page.resourceVersion}, the first one ${reading.resourceVersion}`,
      );
      reading.items.push(...page.items);
      reading.token = page.continue;
      this.#checkRemaining(reading, page.remainingItemCount);
      if (page.continue !== undefined) return;
      this.#reading = undefined;
      world.checkList(
        { items: reading.items, resourceVersion: page.resourceVersion },
        scope,
        reading.low,
        reading.from,
      );
    } catch (error) {
      if (!world.wasCutOff(error)) await this.#goOn(error, reading, options);
      else if (reading.token === undefined) this.#reading = undefined;
    }
  }

  /** The state of the list is gone. The answer says how to go on with the current one. */
  async #goOn(error: unknown, reading: Reading, options: ListObjectsOptions): Promise<void> {
    const { world } = this;
    if (!isStatusError(error) || error.status.code !== 410) throw error;
    const revision = Number(reading.resourceVersion ?? options.resourceVersion);
    await world.mustBeForgettable(revision, () => `a list of ${revision} cannot be forgotten, but is said to be`);
    world.count("expired");
    this.#reading = undefined;
    if (reading.token === undefined) return;
    const { continue: token } = error.status.metadata as { continue?: string };
    must(token !== undefined, () => "an expired page does not say how to go on");
    const last = reading.items.at(-1);
    const from = last === undefined ? reading.from : `${last.key}\0`;
    this.#reading = { ...reading, low: world.known(), from, resourceVersion: undefined, items: [], token };
  }

  #checkRemaining({ scope, items, resourceVersion, from, token }: Reading, remaining: number | undefined): void {
    const listed = items.length;
    if (scope.node !== undefined || token === undefined) {
      must(remaining === undefined, () => `${remaining} are said to remain, where nobody can know or none do`);
      return;
    }
    this.world.later(() => {
      const left = this.world.history.list(Number(resourceVersion), scope, from).length - listed;
      must(remaining === left, () => `${remaining} are said to remain, not ${left}`);
    });
  }
}
