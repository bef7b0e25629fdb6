import type { KvEvent, WatchBatch } from "../../src/server/storage/kv.js";
import { plainCodec } from "../suites/store-harness.js";

/**
 * Written to learn that everything before it was told, where the store does not say so by itself. It lies outside of
 * what is tested.
 */
export const FENCE = "/registry/fence";

/** What a write puts into an object, so that every version tells where it comes from. */
export interface Content {
  /** Names the write; no other write has it. */
  readonly write: string;
  /** The revision that the writer had read; 0 when there was no object. */
  readonly basedOn: number;
  /** What selectors look at. */
  readonly node: string;
  /** The write that created the object. */
  readonly uid: string;
  /** When the object may go by itself, in milliseconds since the epoch. */
  readonly expires?: number;
}

/** One key from one revision to its next. */
export interface Version {
  readonly key: string;
  readonly revision: number;
  /** Undefined: the key was deleted here. */
  readonly content: Content | undefined;
  readonly createRevision: number;
  readonly before: Version | undefined;
}

/** Which objects somebody looks at: those below a key prefix, and of them those on one node. */
export interface Scope {
  readonly prefix: string;
  readonly node: string | undefined;
}

/** Thrown when the store did what no correct store does. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export function must(holds: boolean, complaint: () => string): asserts holds {
  if (!holds) throw new Violation(complaint());
}

/**
 * The reference: everything that ever happened to the store, told by one watch of it from its beginning. Every state
 * the store ever had can be looked up, so whatever a client was told can be held against it.
 *
 * Taking in an event checks that revisions rise, that a change follows from the version before it (no stale update
 * wins), and that the event says what was there before.
 */
export class History {
  readonly #events: Version[] = [];
  readonly #keys = new Map<string, Version[]>();
  /** All keys ever seen, in order. */
  #sorted: string[] | undefined;
  #first = 1;
  #revision = 1;
  #everyRevision = false;

  constructor(
    /** Called with each event, in order. */
    private readonly onEvent: (version: Version) => void,
  ) {}

  /** Everything up to this revision is known. */
  get revision(): number {
    return this.#revision;
  }

  get events(): readonly Version[] {
    return this.#events;
  }

  /** The store is empty at `revision`. `everyRevision`: it promises an event for each later one. */
  begin(revision: number, everyRevision: boolean): void {
    this.#everyRevision = everyRevision;
    this.#first = revision;
    this.#revision = revision;
  }

  get first(): number {
    return this.#first;
  }

  append(batch: WatchBatch): void {
    for (const event of batch.events) if (event.key !== FENCE) this.#take(event);
    must(batch.revision >= this.#revision, () => `a batch goes back to ${batch.revision} from ${this.#revision}`);
    this.#revision = batch.revision;
  }

  /** What the key held at `revision`: undefined when there was no object. */
  at(key: string, revision: number): Version | undefined {
    const versions = this.#keys.get(key) ?? [];
    const version = versions[indexAfter(versions, revision) - 1];
    return version?.content === undefined ? undefined : version;
  }

  list(revision: number, { prefix, node }: Scope, from = ""): Version[] {
    this.#sorted ??= [...this.#keys.keys()].sort();
    const versions: Version[] = [];
    for (const key of this.#sorted) {
      if (!key.startsWith(prefix) || key < from) continue;
      const version = this.at(key, revision);
      if (version !== undefined && (node === undefined || version.content?.node === node)) versions.push(version);
    }
    return versions;
  }

  /** What the key held from `low` to `high`, one after the other; undefined for no object. */
  moments(key: string, low: number, high: number): (Version | undefined)[] {
    const versions = this.#keys.get(key) ?? [];
    const moments: (Version | undefined)[] = [];
    const first = indexAfter(versions, low) - 1;
    if (first < 0) moments.push(undefined);
    for (const version of versions.slice(Math.max(0, first))) {
      if (version.revision > high) break;
      moments.push(version.content === undefined ? undefined : version);
    }
    return moments;
  }

  /** Index in {@link events} of the first event after `revision`. */
  indexAfter(revision: number): number {
    return indexAfter(this.#events, revision);
  }

  latest(key: string): Version | undefined {
    return this.#keys.get(key)?.at(-1);
  }

  get keys(): Iterable<string> {
    return this.#keys.keys();
  }

  #take({ type, key, revision, value, previous }: KvEvent): void {
    const last = this.#events.at(-1)?.revision ?? this.#first;
    must(revision > last, () => `event ${revision} follows event ${last}`);
    must(!this.#everyRevision || revision === last + 1, () => `no event between ${last} and ${revision}`);
    let versions = this.#keys.get(key);
    const before = versions?.at(-1);
    const live = before?.content === undefined ? undefined : before;
    const about = `event ${revision}, ${type} of ${key}`;
    must((type === "create") === (live === undefined), () => `${about}: the key was ${live ? "there" : "absent"}`);
    must(
      previous?.revision === live?.revision,
      () => `${about}: previous is ${previous?.revision}, not ${live?.revision}`,
    );
    if (previous !== undefined && live !== undefined) {
      must(same(contentOf(previous.value), live.content), () => `${about}: previous holds something else`);
      must(previous.createRevision === live.createRevision, () => `${about}: previous was created at another revision`);
    }
    must((value === undefined) === (type === "delete"), () => `${about}: value where there should be none, or none`);
    const content = value === undefined ? undefined : contentOf(value);
    must(content === undefined || content.basedOn === (live?.revision ?? 0), () => `${about}: a stale write won`);
    const version = { key, revision, content, createRevision: live?.createRevision ?? revision, before: live };
    if (versions === undefined) {
      this.#keys.set(key, (versions = []));
      this.#sorted = undefined;
    }
    versions.push(version);
    this.#events.push(version);
    this.onEvent(version);
  }
}

export function contentOf(bytes: Uint8Array): Content {
  return plainCodec.decode(bytes)["content"] as Content;
}

export function same(a: Content | undefined, b: Content | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Index of the first of `versions`, ordered by revision, that is later than `revision`. */
function indexAfter(versions: readonly Version[], revision: number): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((versions[middle] as Version).revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
