import { hostname } from "node:os";
import { errorMessage } from "../../base/text/error-message.js";
import { Fifo } from "../../base/collections/fifo.js";
import { withTimeLimit } from "../../base/time/time-limit.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { formatMicroTime, formatTime } from "../../machinery/meta/time.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { type CorrelationOptions, EventCorrelator } from "./event-correlator.js";
import {
  EventNames,
  ACTION_EVENTS,
  type ActionEvent,
  CORE_EVENTS,
  type CoreEvent,
  type EventType,
} from "./event-objects.js";
import { EventSeriesCache } from "./event-series-cache.js";
import { EventSink, type EventWrite } from "./event-sink.js";
import { type ObjectReference, referenceTo } from "./object-reference.js";

export interface EventBroadcasterOptions extends Partial<Pick<Surroundings, "clock" | "random" | "timers">> {
  readonly client: Pick<KubernetesClient, "resource">;
  /** How many events wait to be written; more are dropped. Default 1000. */
  readonly queueSize?: number;
  /** How events of core/v1 are put together. */
  readonly correlation?: CorrelationOptions;
  /** Called with events that were refused or not written, and with errors of handlers. Default: ignores them. */
  readonly onError?: (error: unknown) => void;
  /** Called for each event that is dropped because too many wait, or after the end, with a text that says so. Default: `onError`. */
  readonly onDropped?: (message: string) => void;
}

/** The component that reports an event. */
export interface EventSource {
  /** The controller: "web-operator". */
  readonly component: string;
  /** The machine or pod that it runs on. Default: none in core/v1 events, the host's name in those with an action. */
  readonly host?: string;
}

export interface EventRecorder {
  /**
   * Records that something happened to an object: an event in the object's namespace, or in "default". Returns at once and
   * never throws; events may be lost, and onError gets to know of it. `reason` is short UpperCamelCase ("BackOff"), `message`
   * is for people.
   */
  event(
    object: ApiObject | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): void;
}

export interface EventDetails {
  /**
   * What was done, UpperCamelCase ("Pulling"). With it, the event is written by events.k8s.io/v1, where repetitions become a
   * series; without, by core/v1, where they raise the count.
   */
  readonly action?: string;
  /** The other object that took part, in events with an action. */
  readonly related?: ApiObject | ObjectReference;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Collects the events of a process and writes them to the API. Close it, or declare it with `await using`. */
export interface EventBroadcaster extends AsyncDisposable {
  recorder(source: EventSource): EventRecorder;
  /** Calls `handler` with every recorded event, before events are put together, until the returned function is called. */
  watch(handler: (event: CoreEvent | ActionEvent) => void): () => void;
  /** Resolves when the queue has room for an event. A producer that may lose none awaits it before each. */
  room(): Promise<void>;
  /**
   * Resolves when the events recorded so far are written or given up, which takes up to two minutes while the server does not
   * answer. Counts of a series may be written later. Keeps the process alive, which events that wait do not.
   */
  flush(): Promise<void>;
  /**
   * Takes no more events, tries the waiting ones once more, for at most 10 seconds, and writes the counts of series. Idempotent.
   */
  close(): Promise<void>;
}

/** Creates a broadcaster. It sends no request before the first event. */
export function eventBroadcaster(options: EventBroadcasterOptions): EventBroadcaster {
  return new QueueingBroadcaster(options);
}

const QUEUE_SIZE = 1000;
const CLOSE_MS = 10_000;
const REFRESH_MS = 30 * 60_000;
const FINISH_MS = 6 * 60_000;

/** What is to be written, decided when its turn comes: the correlator needs what was stored before. Undefined: nothing. */
type Entry = () => EventWrite | undefined;

class QueueingBroadcaster implements EventBroadcaster {
  readonly #surroundings: Pick<Surroundings, "clock" | "random" | "timers">;
  readonly #names: EventNames;
  readonly #correlator: EventCorrelator;
  readonly #series: EventSeriesCache;
  readonly #sink: EventSink;
  readonly #handlers = new Set<(event: CoreEvent | ActionEvent) => void>();
  readonly #queue = new Fifo<Entry>();
  readonly #closing = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #waitingForRoom: (() => void)[] = [];
  #isWriting = false;
  #added = 0;
  #done = 0;
  #flushes: { readonly until: number; readonly resolve: () => void }[] = [];
  #cancelTimers: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(private readonly options: EventBroadcasterOptions) {
    const { clock, random, timers } = surroundingsOf(options);
    this.#surroundings = { clock, random, timers };
    this.#names = new EventNames(random);
    this.#correlator = new EventCorrelator(clock, this.#names, options.correlation);
    this.#series = new EventSeriesCache(clock);
    this.#sink = new EventSink({
      client: options.client,
      random,
      timers,
      onError: (error) => this.#report(error),
      closing: this.#closing.signal,
      abandoned: this.#abandoned.signal,
    });
  }

  recorder(source: EventSource): EventRecorder {
    return {
      event: (object, type, reason, message, details = {}) => {
        try {
          const { action } = details;
          if (type !== "Normal" && type !== "Warning") throw new Error(`Unsupported event type: '${String(type)}'`);
          if (action === undefined) this.#addCore(this.#coreEvent(source, object, { type, reason, message, details }));
          else this.#addAction(this.#actionEvent(source, object, { type, reason, message, details, action }));
        } catch (error) {
          const why = errorMessage(error);
          this.#report(new Error(`cannot record event ${reason} (${message}): ${why}`, { cause: error }));
        }
      },
    };
  }

  watch(handler: (event: CoreEvent | ActionEvent) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  async room(): Promise<void> {
    while (this.#queue.length >= this.#queueSize && !this.#closing.signal.aborted) {
      await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
    }
  }

  flush(): Promise<void> {
    if (this.#done === this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#flushes.push({ until: this.#added, resolve }));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #queueSize(): number {
    return this.options.queueSize ?? QUEUE_SIZE;
  }

  async #close(): Promise<void> {
    for (const cancel of this.#cancelTimers) cancel();
    for (const event of this.#series.unwritten()) this.#add(() => seriesWrite(event));
    this.#closing.abort();
    for (const wake of this.#waitingForRoom.splice(0)) wake();
    const limit = { timers: this.#surroundings.timers, milliseconds: CLOSE_MS };
    try {
      await withTimeLimit(limit, () => this.flush());
    } catch {
      const left = this.#queue.length;
      while (this.#queue.shift() !== undefined) this.#finishOne();
      this.#abandoned.abort();
      if (left > 0) this.#report(new Error(`closed before the server took ${left} more events`));
      await this.flush();
    }
  }

  #coreEvent(source: EventSource, object: ApiObject | ObjectReference, what: Happened): CoreEvent {
    const now = this.#surroundings.clock.now();
    const involvedObject = referenceTo(object);
    const { component, host } = source;
    const { type, reason, message } = what;
    const time = formatTime(now);
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: this.#metadata(involvedObject, now, what.details),
      involvedObject,
      reason,
      message,
      source: { component, ...(host !== undefined && { host }) },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      reportingComponent: component,
      ...(host !== undefined && { reportingInstance: host }),
    };
  }

  #actionEvent(
    { component, host = hostname() }: EventSource,
    object: ApiObject | ObjectReference,
    what: Happened & { readonly action: string },
  ): ActionEvent {
    const now = this.#surroundings.clock.now();
    const regarding = referenceTo(object);
    const { type, reason, message, action, details } = what;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: this.#metadata(regarding, now, details),
      eventTime: formatMicroTime(now),
      reportingController: component,
      reportingInstance: `${component}-${host}`,
      action,
      reason,
      regarding,
      ...(details.related !== undefined && { related: referenceTo(details.related) }),
      note: message,
      type,
    };
  }

  #metadata({ name = "", namespace = "" }: ObjectReference, now: number, { annotations }: EventDetails) {
    return {
      name: this.#names.next(name, now),
      namespace: namespace === "" ? "default" : namespace,
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    };
  }

  #addCore(event: CoreEvent): void {
    this.#tell(event);
    this.#offer(event, () => {
      const correlated = this.#correlator.correlate(event);
      if (correlated === undefined) return undefined;
      return {
        resource: CORE_EVENTS,
        ...correlated,
        stored: (stored) => this.#correlator.stored(stored as CoreEvent),
      };
    });
  }

  #addAction(event: ActionEvent): void {
    this.#tell(event);
    if (this.#closing.signal.aborted) return this.#drop(event, "the broadcaster is closed");
    const happened = this.#series.happened(event);
    if (happened !== undefined) this.#offer(event, () => seriesWrite(happened));
    if (this.#cancelTimers.length > 0) return;
    this.#every(0, REFRESH_MS, () => this.#series.going());
    this.#every(1, FINISH_MS, () => this.#series.finish());
  }

  /** Writes what `due` returns, time and again. */
  #every(slot: number, milliseconds: number, due: () => readonly ActionEvent[]): void {
    this.#cancelTimers[slot] = this.#surroundings.timers.start(milliseconds, () => {
      for (const event of due()) this.#add(() => seriesWrite(event));
      this.#every(slot, milliseconds, due);
    });
  }

  #tell(event: CoreEvent | ActionEvent): void {
    for (const handler of this.#handlers) {
      try {
        handler(event);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #offer(event: CoreEvent | ActionEvent, entry: Entry): void {
    if (this.#closing.signal.aborted) this.#drop(event, "the broadcaster is closed");
    else if (this.#queue.length >= this.#queueSize) this.#drop(event, "too many queued events");
    else this.#add(entry);
  }

  #drop({ metadata, reason }: CoreEvent | ActionEvent, why: string): void {
    const message = `dropped event ${metadata?.namespace}/${metadata?.name} (${reason}): ${why}`;
    if (this.options.onDropped === undefined) this.#report(new Error(message));
    else this.options.onDropped(message);
  }

  #add(entry: Entry): void {
    this.#queue.push(entry);
    this.#added += 1;
    if (this.#isWriting) return;
    this.#isWriting = true;
    queueMicrotask(() => void this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      this.#waitingForRoom.shift()?.();
      const write = entry();
      if (write !== undefined) await this.#sink.write(write);
      this.#finishOne();
    }
    this.#isWriting = false;
  }

  #finishOne(): void {
    this.#done += 1;
    const isOver = ({ until }: { readonly until: number }): boolean => until <= this.#done;
    for (const { resolve } of this.#flushes.filter(isOver)) resolve();
    this.#flushes = this.#flushes.filter((flush) => !isOver(flush));
  }

  #report(error: unknown): void {
    this.options.onError?.(error);
  }
}

interface Happened {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly details: EventDetails;
}

function seriesWrite(event: ActionEvent): EventWrite {
  const { series } = event;
  return { resource: ACTION_EVENTS, event, ...(series !== undefined && { patch: { series: { ...series } } }) };
}
