import type { Clock } from "../../base/time/clock.js";
import { ClosedError, CompactedError } from "./kv.js";

/** One change to one key. A log holds them in revision order; a revision may have several. */
export interface LoggedEvent {
  readonly revision: number;
  readonly key: string;
}

export interface EventLogOptions<E> {
  readonly clock: Clock;
  /** The log starts after this revision: it has no events up to and including it. */
  readonly floor: number;
  readonly limits: EventLogLimits;
  /** The bytes that an event counts against `limits.bytes`. */
  readonly weigh: (event: E) => number;
}

/** The size of one batch. It bounds what a reader can hold while it does not read on. */
const BATCH_BYTES = 2 ** 20;

/** The log removes its oldest events when they exceed any of these limits. */
export interface EventLogLimits {
  readonly events: number;
  readonly bytes: number;
  readonly milliseconds: number;
  /** Events among this many newest ones do not expire by age. */
  readonly keep: number;
}

/**
 * The recent events of a store and their readers. A reader is a position in the log and has no queue, so a slow reader costs
 * no memory and delays no other. It fails with {@link CompactedError} when the log has removed events it has not read. An
 * event outside a reader's prefix does not wake it.
 */
export class EventLog<E extends LoggedEvent> {
  #events: ({ readonly event: E; readonly weight: number; readonly time: number } | undefined)[] = [];
  /** Events before this index are removed. The array is sliced from time to time. */
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

  /** The log has no events up to and including this revision. */
  get floor(): number {
    return this.#floor;
  }

  /** The revision of the newest event, or the floor. */
  get head(): number {
    return this.#head;
  }

  /** Appends events. All events of a revision must come in one call. */
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

  /** Moves the head to `revision` without an event. It also moves the readers that have read everything. */
  advance(revision: number): void {
    this.#head = Math.max(this.#head, revision);
  }

  /** Removes events up to and including `revision`. */
  forget(revision: number): void {
    while (this.#start < this.#events.length && (this.#events[this.#start]?.event.revision ?? 0) <= revision)
      this.#drop();
    this.#floor = Math.max(this.#floor, Math.min(revision, this.#head));
  }

  /**
   * Returns the events below `prefix` after `revision`, oldest first. It stops at `limit` events or {@link BATCH_BYTES}, but
   * never within a revision; `reached` is the revision up to which they are complete. Throws {@link CompactedError} when
   * some of them were removed.
   */
  after(revision: number, prefix: string, limit: number): { readonly events: E[]; readonly reached: number } {
    if (revision < this.#floor) throw new CompactedError(revision, this.#floor);
    const events: E[] = [];
    let bytes = 0;
    let last = revision;
    // A reader may have to skip many events of other prefixes, so the loop does nothing but compare.
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

  /** Returns a reader of the events below `prefix` after `from`, which may lie in the future. Close the reader after use. */
  read(prefix: string, from: number): EventReader<E> {
    const reader = new EventReader<E>(this, prefix, from);
    if (this.#closed !== undefined) reader.fail(this.#closed);
    this.#join(reader);
    return reader;
  }

  /**
   * Moves the readers to `next`, a log that starts later. Readers whose unread events are missing there fail with {@link
   * CompactedError}.
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

  /** Ends the log. Readers fail with `reason` after they have read the remaining events. */
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

/** The position of one reader in an {@link EventLog}. */
export class EventReader<E extends LoggedEvent> {
  onClose: (() => void) | undefined;
  #position: number;
  /** True when the reader has read every event of its prefix. Its position is then the log's head. */
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

  /** The reader has read its events up to and including this revision. */
  get position(): number {
    return this.#idle ? Math.max(this.#position, this.log.head) : this.#position;
  }

  /**
   * Returns about `limit` of the next events below the prefix, in whole revisions; none when there are no new ones. Throws
   * {@link CompactedError} when the log has removed unread events, and the log's reason once it is closed and read to its
   * end.
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

  /**
   * Resolves when {@link take} returns or throws something new, and when the reader is closed. Only one call may wait at a
   * time.
   */
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
      // The events before this one are read or outside the prefix.
      this.#position = Math.max(this.#position, revision - 1);
    }
    this.#resume?.();
  }

  /** Continues the reader in another log. */
  continueIn(log: EventLog<E>): void {
    this.#position = this.position;
    this.log = log;
    this.#idle = false;
    this.#resume?.();
  }

  /** Resolves a pending {@link wait} without an event. */
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
