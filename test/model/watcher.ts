import { isStatusError } from "../../src/machinery/errors/status-error.js";
import type { ObjectStore, StoredEvent, StoredObject, WatchObjectsOptions } from "../../src/server/storage/store.js";
import { onNode } from "../suites/store-harness.js";
import { type Content, type History, must, same, type Scope, type Version } from "./model.js";

export const predicateOf = ({ node }: Scope): { predicate?: (object: StoredObject) => boolean } =>
  node === undefined ? {} : { predicate: onNode(node) };

/** How a watch begins that has nothing to go on from. */
export type Beginning =
  /** A list, then a watch of what comes after. */
  | "list"
  /** The streaming list, whose closing bookmark names its revision. */
  | "initial"
  /** Initial events of the most recent state, whose revision nobody tells. */
  | "legacy"
  /** The same of whatever the server has at hand. */
  | "legacy-any";

/** What a watcher needs to know of the test around it. */
export interface WatcherWorld {
  readonly history: History;
  /** The latest revision that anybody was told of. */
  known(): number;
  /** The store's revision now. */
  current(): Promise<number>;
  /** Somebody was told of this revision. */
  saw(revision: number): void;
  /** No server of the moment can have a state at hand that is older than this. */
  oldest(): number;
  /** Complains unless a server may have forgotten what came after `revision`: writes that nobody was told of yet may have pushed it out. */
  mustBeForgettable(revision: number, complaint: () => string): Promise<void>;
  /** Lists, and holds the list against the model; answers its revision. */
  list(store: ObjectStore, scope: Scope): Promise<number>;
  /** Whether everything is just being closed or killed, so that a stream may break. */
  ending(): boolean;
  count(what: "expired" | "resumed" | "bookmarks"): void;
  /** Reports what must end the test. */
  fail(error: unknown): void;
}

/** What a watcher is told from one beginning on, through all breaks, until it must begin again. */
interface Story {
  /** Who the watcher could be; more than one where nobody told at which revision it began. */
  readers: Reader[] | undefined;
  /** Where `readers` is undefined: it began not before and not after these. */
  readonly low: number;
  readonly high: number;
}

/**
 * One client: it begins, follows, breaks, goes on from the last revision it knows, and begins again when it is told
 * that this revision is gone. Everything it is told is checked in {@link verify}: it must be what some reader, who
 * began where this watcher did, is to be told.
 */
export class Watcher {
  /** What was received and not yet checked. */
  #inbox: { readonly story: Story; readonly event: StoredEvent }[] = [];
  #story: Story | undefined;
  /** Where to go on; undefined where nobody told. */
  #position: number | undefined;
  /** What the watcher believes to be there: the revision of each key. */
  readonly #mirror = new Map<string, number>();
  #stop: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #stalled: { readonly over: Promise<void>; readonly end: () => void } | undefined;

  constructor(
    private readonly world: WatcherWorld,
    readonly name: string,
    private readonly scope: Scope,
    private readonly beginning: Beginning,
    private readonly bookmarks: boolean,
  ) {}

  get resource(): string {
    return this.scope.prefix.split("/")[2] ?? "";
  }

  get running(): boolean {
    return this.#stop !== undefined;
  }

  /** Begins, or goes on. Resolves when the stream is open. */
  async start(store: ObjectStore): Promise<void> {
    const controller = new AbortController();
    this.#stop = () => controller.abort();
    try {
      const stream = await this.#open(store, controller.signal);
      this.#running = this.#follow(store, stream, controller.signal);
    } catch (error) {
      if (!this.world.ending()) throw error;
    }
  }

  /** Stops reading, or reads on. */
  stall(): void {
    if (this.#stalled !== undefined) return this.readOn();
    let end = (): void => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#stalled = { over, end };
  }

  readOn(): void {
    this.#stalled?.end();
    this.#stalled = undefined;
  }

  async break(): Promise<void> {
    this.#stop?.();
    this.readOn();
    await this.#running;
    this.#stop = undefined;
  }

  /** Checks what was received, as far as the history is known. Throws a Violation. */
  verify(): void {
    const { history } = this.world;
    let checked = 0;
    for (const { story, event } of this.#inbox) {
      if (event.revision > history.revision || story.high > history.revision) break;
      this.#check(story, event);
      checked++;
    }
    this.#inbox = this.#inbox.slice(checked);
  }

  /** What it has still to be told; undefined when it has seen everything, or does not read. */
  missing(): string | undefined {
    if (!this.running || this.#stalled !== undefined) return undefined;
    const story = this.#story;
    if (story === undefined || story.high > this.world.history.revision) return "its beginning";
    const waiting = this.#readersOf(story).map((reader) => reader.missing());
    // One of the possible readers is the real one.
    return waiting.includes(undefined) ? undefined : waiting[0];
  }

  /** Call it when nothing is missing: what the watcher believes must be the state of the store. */
  verifyState(): void {
    const { history } = this.world;
    const state = history.list(history.revision, this.scope).map(({ key, revision }) => `${key}@${revision}`);
    const believed = [...this.#mirror].map(([key, revision]) => `${key}@${revision}`).sort();
    must(
      state.sort().join() === believed.join(),
      () => `${this.name} believes ${believed.join()}, not ${state.join()}`,
    );
  }

  #check(story: Story, event: StoredEvent): void {
    let complaint = "nothing was to be told";
    story.readers = this.#readersOf(story).filter((reader) => {
      const problem = reader.accept(event);
      complaint = problem ?? complaint;
      return problem === undefined;
    });
    must(story.readers.length > 0, () => `${this.name} was told ${showEvent(event)}: ${complaint}`);
    if (story !== this.#story || event.object === undefined) return;
    if (event.type === "DELETED") this.#mirror.delete(event.object.key);
    else this.#mirror.set(event.object.key, event.revision);
  }

  async #open(store: ObjectStore, signal: AbortSignal): Promise<AsyncIterable<readonly StoredEvent[]>> {
    const { world, scope, beginning } = this;
    const watch = (more: Partial<WatchObjectsOptions>): Promise<AsyncIterable<readonly StoredEvent[]>> =>
      store.watch(localPrefix(scope), {
        signal,
        allowWatchBookmarks: this.bookmarks,
        ...predicateOf(scope),
        ...more,
      });
    if (this.#position !== undefined) {
      world.count("resumed");
      return watch({ resourceVersion: String(this.#position), sendInitialEvents: false });
    }
    const low = beginning === "legacy-any" ? world.oldest() : world.known();
    if (beginning === "list") {
      const revision = await world.list(store, scope);
      this.#story = { readers: undefined, low: revision, high: revision };
      this.#position = revision;
      return watch({ resourceVersion: String(revision) });
    }
    const stream = await watch(
      beginning === "initial"
        ? { sendInitialEvents: true, allowWatchBookmarks: true }
        : { resourceVersion: beginning === "legacy" ? "" : "0" },
    );
    this.#story = { readers: undefined, low, high: await world.current() };
    this.#mirror.clear();
    return stream;
  }

  async #follow(store: ObjectStore, stream: AsyncIterable<readonly StoredEvent[]>, signal: AbortSignal): Promise<void> {
    try {
      await this.#receive(stream, signal);
      if (!signal.aborted) must(this.world.ending(), () => `${this.name}: the stream ended`);
    } catch (error) {
      if (signal.aborted || this.world.ending()) return;
      await this.#beginAgain(error, store).catch((problem: unknown) => this.world.fail(problem));
    }
  }

  async #receive(stream: AsyncIterable<readonly StoredEvent[]>, signal: AbortSignal): Promise<void> {
    const story = this.#story as Story;
    for await (const batch of stream) {
      for (const event of batch) {
        if (signal.aborted) return;
        this.#inbox.push({ story, event });
        this.world.saw(event.revision);
        // Initial events carry the revisions of their objects, which are no place to go on from.
        if (event.type === "BOOKMARK" || this.#position !== undefined) this.#position = event.revision;
        if (event.type === "BOOKMARK") this.world.count("bookmarks");
      }
      await this.#stalled?.over;
    }
  }

  async #beginAgain(error: unknown, store: ObjectStore): Promise<void> {
    const { world } = this;
    if (!isStatusError(error) || error.status.code !== 410) throw error;
    const from = this.#position ?? this.#story?.low ?? 0;
    await world.mustBeForgettable(from, () => `${this.name}: ${error.status.message}, but ${from} cannot be forgotten`);
    world.count("expired");
    this.#position = undefined;
    await this.start(store);
  }

  /** At first, one for every state in which the watch can have begun, as far as they differ for this watcher. */
  #readersOf(story: Story): Reader[] {
    if (story.readers !== undefined) return story.readers;
    const { history } = this.world;
    const { low, high } = story;
    const listed = low === high && this.beginning === "list";
    const revisions = new Set([Math.min(low, high)]);
    for (let index = history.indexAfter(low); index < history.events.length; index++) {
      const { key, revision } = history.events[index] as Version;
      if (revision > high) break;
      if (key.startsWith(this.scope.prefix)) revisions.add(revision);
    }
    if (this.beginning === "initial") for (let revision = low; revision <= high; revision++) revisions.add(revision);
    story.readers = [...revisions].map((revision) => new Reader(history, this.scope, revision, !listed));
    if (listed && story === this.#story) this.#believe(history.list(low, this.scope));
    return story.readers;
  }

  #believe(state: readonly Version[]): void {
    this.#mirror.clear();
    for (const { key, revision } of state) this.#mirror.set(key, revision);
  }
}

/** Somebody who began at one revision: knows what comes next. */
class Reader {
  /** Initial events still to come. */
  readonly #initial: Version[];
  /** The next event of the history to look at. */
  #next: number;

  constructor(
    private readonly history: History,
    private readonly scope: Scope,
    private readonly began: number,
    initial: boolean,
  ) {
    this.#initial = initial ? history.list(began, scope) : [];
    this.#next = history.indexAfter(began);
  }

  /** Answers what is wrong with `event` as the next one. */
  accept(event: StoredEvent): string | undefined {
    if (event.type === "BOOKMARK") return this.#acceptBookmark(event);
    const initial = this.#initial.shift();
    const wanted =
      initial === undefined ? this.#nextSeen() : { type: "ADDED", version: initial, content: initial.content };
    if (wanted === undefined) return "nothing was to be told";
    if (initial === undefined) this.#next++;
    const { type, version, content } = wanted;
    if (event.type !== type || event.revision !== version.revision || event.object?.key !== version.key) {
      return `expected ${type} ${version.key}@${version.revision}`;
    }
    return complaintAbout(event.object, version.revision, content);
  }

  /** The next event that this reader must be told; undefined when it has seen everything. */
  missing(): string | undefined {
    const [first] = this.#initial;
    if (first !== undefined) return `ADDED ${first.key}@${first.revision} of the state at ${this.began}`;
    const next = this.#nextSeen();
    return next && `${next.type} ${next.version.key}@${next.version.revision}`;
  }

  #acceptBookmark({ revision, initialEventsEnd }: StoredEvent): string | undefined {
    if (this.#initial.length > 0) return "initial events are missing";
    if (initialEventsEnd === true && revision !== this.began) return `the initial state is that of ${this.began}`;
    if (revision < this.began) return `it began at ${this.began}`;
    const next = this.#nextSeen();
    if (next !== undefined && next.version.revision <= revision) return `${this.missing()} was not told before`;
    return undefined;
  }

  /** The next change in the history that shows, and how. */
  #nextSeen(): { type: "ADDED" | "MODIFIED" | "DELETED"; version: Version; content: Content | undefined } | undefined {
    const { events } = this.history;
    for (; this.#next < events.length; this.#next++) {
      const version = events[this.#next] as Version;
      if (!version.key.startsWith(this.scope.prefix)) continue;
      const before = this.#shows(version.before?.content);
      if (this.#shows(version.content)) {
        return { type: before ? "MODIFIED" : "ADDED", version, content: version.content };
      }
      if (before) return { type: "DELETED", version, content: version.before?.content };
    }
    return undefined;
  }

  #shows(content: Content | undefined): boolean {
    return content !== undefined && (this.scope.node === undefined || content.node === this.scope.node);
  }
}

/** What is wrong with an object that should be at `revision` and hold `content`. */
export function complaintAbout(
  object: StoredObject,
  revision: number,
  content: Content | undefined,
): string | undefined {
  if (object.revision !== revision) return `the object is at ${object.revision}, not ${revision}`;
  const parsed = object.object();
  if (!same(parsed["content"] as Content, content)) return `the object holds ${JSON.stringify(parsed["content"])}`;
  const version = parsed.metadata?.resourceVersion;
  return version === String(revision) ? undefined : `its resourceVersion is ${version}`;
}

/** The prefix below the resource's own. */
export function localPrefix({ prefix }: Scope): string {
  return prefix.split("/").slice(3).join("/");
}

function showEvent({ type, object, revision }: StoredEvent): string {
  return `${type} ${object?.key ?? ""}@${revision}`;
}
