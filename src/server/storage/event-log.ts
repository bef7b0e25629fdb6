import type { Clock } from "../../base/clock.js";
import { ClosedError, CompactedError } from "./kv.js";

/** One change. A log holds them in the order of their revisions; a revision may have several. */
export interface LoggedEvent {
  readonly revision: number;
  readonly key: string;
}

export interface EventLogOptions<E> {
  readonly clock: Clock;
  /** The log starts here: events up to and including this revision are not in it. */
  readonly floor: number;
  readonly limits: EventLogLimits;
  /** What an event weighs against `limits.bytes`. */
  readonly weigh: (event: E) => number;
}

/** What a reader that does not read holds on to is bounded by this. */
const BATCH_BYTES = 2 ** 20;

/** The oldest events go when there are too many, when they weigh too much, or when they are too old. */
export interface EventLogLimits {
  readonly events: number;
  readonly bytes: number;
  readonly milliseconds: number;
  /** Age alone does not remove these many newest events. */
  readonly keep: number;
}

/**
 * The recent events of a store and the readers that follow them. A reader is a position in the log and holds no queue,
 * so a slow one costs nothing and delays nobody; when the log has forgotten what it has yet to read, it fails with
 * {@link CompactedError}. A reader that has read everything is not touched by events outside its prefix.
 */
export class EventLog<E extends LoggedEvent> {
  #events: ({ readonly event: E; readonly weight: number; readonly time: number } | undefined)[] = [];
  /** Events before this index are gone; the array is cut now and then. */
  #start = 0;
  #bytes = 0;
  #floor: number;
  #head: number;
  #closed: Error | undefined;
  readonly #readers = new Map<string, Set<EventReader<E>>>();

  constructor(private readonly options: EventLogOptions<E>) {
    this.#floor = options.floor;
    this.#head = options.floor;
  }

  /** Events up to and including this revision are forgotten. */
  get floor(): number {
    return this.#floor;
  }

  /** The revision of the newest event, or the floor. */
  get head(): number {
    return this.#head;
  }

  /** All events of a revision come in one call. */
  append(events: readonly E[]): void {
    const time = this.options.clock.now();
    for (const event of events) {
      const weight = this.options.weigh(event);
      this.#events.push({ event, weight, time });
      this.#bytes += weight;
      this.#head = event.revision;
    }
    this.#trim(time);
    for (const event of events) this.#notify(event);
  }

  /** Nothing happened up to and including `revision`: readers that have read everything stand there now. */
  advance(revision: number): void {
    this.#head = Math.max(this.#head, revision);
  }

  /** Forgets events up to and including `revision`. */
  forget(revision: number): void {
    while (this.#start < this.#events.length && (this.#events[this.#start]?.event.revision ?? 0) <= revision)
      this.#drop();
    this.#floor = Math.max(this.#floor, Math.min(revision, this.#head));
  }

  /**
   * Events below `prefix` after `revision`, oldest first, until there are `limit` or they weigh {@link BATCH_BYTES}, and
   * the rest of the last one's revision; `reached` is how far that is all. Throws {@link CompactedError} when some are
   * forgotten.
   */
  after(revision: number, prefix: string, limit: number): { readonly events: E[]; readonly reached: number } {
    if (revision < this.#floor) throw new CompactedError(revision, this.#floor);
    const events: E[] = [];
    let bytes = 0;
    let last = revision;
    // A reader may have everything to pass over that others did, so nothing but a look is spent on that.
    for (let index = this.#indexAfter(revision); index < this.#events.length; index++) {
      const entry = this.#events[index];
      if (entry === undefined || !entry.event.key.startsWith(prefix)) continue;
      const full = events.length >= limit || bytes >= BATCH_BYTES;
      if (full && entry.event.revision !== last) return { events, reached: last };
      events.push(entry.event);
      bytes += entry.weight;
      last = entry.event.revision;
    }
    return { events, reached: Math.max(revision, this.#head) };
  }

  /** Visits events newest first, down to and excluding `revision`. */
  visitBack(revision: number, visit: (event: E) => void): void {
    for (let index = this.#events.length - 1; index >= this.#start; index--) {
      const entry = this.#events[index];
      if (entry === undefined || entry.event.revision <= revision) return;
      visit(entry.event);
    }
  }

  /** A reader of what comes after `from` below `prefix`; `from` may lie in the future. Close it when done, from anywhere. */
  read(prefix: string, from: number): EventReader<E> {
    const reader = new EventReader<E>(this, prefix, from);
    if (this.#closed !== undefined) reader.fail(this.#closed);
    this.#join(reader);
    return reader;
  }

  /**
   * `next` goes on where events were lost. Readers that need none of those go on in it, the others fail with
   * {@link CompactedError}.
   */
  handOver(next: EventLog<E>): void {
    for (const group of this.#readers.values()) {
      for (const reader of group) {
        if (reader.position < next.floor) {
          reader.fail(new CompactedError(reader.position, next.floor));
          continue;
        }
        this.leave(reader);
        next.#join(reader);
        reader.continueIn(next);
      }
    }
  }

  #join(reader: EventReader<E>): void {
    let group = this.#readers.get(reader.prefix);
    if (group === undefined) this.#readers.set(reader.prefix, (group = new Set()));
    group.add(reader);
  }

  leave(reader: EventReader<E>): void {
    const group = this.#readers.get(reader.prefix);
    group?.delete(reader);
    if (group?.size === 0) this.#readers.delete(reader.prefix);
  }

  /** Fails every reader once it has read what is there; ends the log. */
  close(reason: Error = new ClosedError()): void {
    this.#closed ??= reason;
    for (const group of this.#readers.values()) for (const reader of group) reader.fail(this.#closed);
  }

  #notify(event: E): void {
    for (const [prefix, readers] of this.#readers) {
      if (!event.key.startsWith(prefix)) continue;
      for (const reader of readers) reader.wake(event.revision);
    }
  }

  #trim(now: number): void {
    const { limits } = this.options;
    for (;;) {
      const count = this.#events.length - this.#start;
      const oldest = this.#events[this.#start];
      if (oldest === undefined || count <= 1) break;
      const tooOld = now - oldest.time > limits.milliseconds && count > limits.keep;
      if (count <= limits.events && this.#bytes <= limits.bytes && !tooOld) break;
      this.forget(oldest.event.revision);
    }
    if (this.#start > 1024 && this.#start * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  #drop(): void {
    this.#bytes -= this.#events[this.#start]?.weight ?? 0;
    this.#events[this.#start] = undefined;
    this.#start++;
  }

  #indexAfter(revision: number): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.event.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** One reader's place in an {@link EventLog}. */
export class EventReader<E extends LoggedEvent> {
  onClose: (() => void) | undefined;
  #position: number;
  /** Nothing below the prefix is unread: the position is wherever the log's head is. */
  #idle = false;
  #failure: Error | undefined;
  #closed = false;
  #resume: (() => void) | undefined;

  constructor(
    private log: EventLog<E>,
    readonly prefix: string,
    from: number,
  ) {
    this.#position = from;
  }

  /** Everything up to this revision was taken, or does not concern this reader. */
  get position(): number {
    return this.#idle ? Math.max(this.#position, this.log.head) : this.#position;
  }

  /**
   * At most about `limit` of the next events below the prefix, whole revisions; empty when there are none yet. Throws
   * {@link CompactedError} when the log forgot them, and the log's reason once it is closed and read to its end.
   */
  take(limit: number): E[] {
    if (this.#idle) return this.#drained();
    if (this.#position < this.log.head) {
      const { events, reached } = this.log.after(this.#position, this.prefix, limit);
      this.#position = reached;
      if (events.length > 0) return events;
    }
    this.#idle = true;
    return this.#drained();
  }

  /** Resolves when {@link take} has something to say, or when the reader is closed. At most one call may wait. */
  wait(): Promise<void> {
    if (!this.#idle || this.#failure !== undefined || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#resume = undefined;
        resolve();
      };
    });
  }

  wake(revision: number): void {
    if (this.#idle) {
      if (revision <= this.#position) return;
      this.#idle = false;
      // Everything before this event lies outside the prefix or was taken.
      this.#position = Math.max(this.#position, revision - 1);
    }
    this.#resume?.();
  }

  /** What comes next is in another log. */
  continueIn(log: EventLog<E>): void {
    this.#position = this.position;
    this.log = log;
    this.#idle = false;
    this.#resume?.();
  }

  /** Lets a waiting {@link wait} resolve although nothing happened. */
  nudge(): void {
    this.#resume?.();
  }

  fail(reason: Error): void {
    this.#failure ??= reason;
    this.#resume?.();
  }

  close(): void {
    this.#closed = true;
    this.log.leave(this);
    this.#resume?.();
    this.onClose?.();
  }

  #drained(): E[] {
    if (this.#failure !== undefined) throw this.#failure;
    return [];
  }
}
