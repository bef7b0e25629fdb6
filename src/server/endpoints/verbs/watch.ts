import { REQUEST_IS_OVER } from "../../../base/async/cancellation.js";
import { deferred } from "../../../base/async/deferred.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { randomBelow } from "../../../base/numbers/random-below.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import {
  isStatusError,
  internalError,
  notAcceptable,
  type Status,
  timeout,
} from "../../../machinery/errors/status-error.js";
import type { Watcher } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { StoredEvent, StoredObject } from "../../storage/store.js";
import { fieldLabelsOf } from "../options/field-labels.js";
import { listOptions, predicateOf } from "../options/list-options.js";
import { encoderName } from "../serializers/encoder-name.js";
import { serializerOf, STREAM_TYPES } from "../serializers/index.js";
import type { StreamSerializer, View } from "../serializers/serializer.js";
import type { ServedResource } from "../served-resource.js";
import { answerFields, SLOW_ANSWER } from "./answer.js";
import { includeObject, objectFormat, scopeOf } from "./scope.js";
import { endUnlessEnded } from "./steps.js";
import { currentSpan, type RequestSpan } from "../../../machinery/tracing/request-span.js";
import { soon, turnsAreDriven } from "../../../base/async/turns.js";
import { respondHead } from "../../request/respond.js";
import type { ResponseWriter } from "../../request/exchange.js";
import { acceptsGzip, withGzip } from "../representation/body-writer.js";
import { gzipMember } from "../representation/gzip-member.js";

/** A round of deliveries may be put off by this much for each watcher in it, about what writing to so many takes several times. */
const PATIENCE_MILLISECONDS = 0.2;
const LONGEST_MILLISECONDS = 20;
/** Events a write carries on average, from which on more rounds would only mean smaller writes. */
const CROWDED = 1.5;

/**
 * Groups events for many watchers when events come faster than the server can write each one to each watcher: after a write a watcher waits,
 * and then gets all events of the meantime in one write. The wait grows while more than one event is pending, and ends when there is not: an
 * event after a quiet time is sent at once.
 */
class DeliveryPace {
  #waiting: (() => void)[] = [];
  /** Written in this round. */
  #events = 0;
  #milliseconds = 0;

  /** Call it after a write of `events` events; it resolves when the next ones should be taken. */
  written(events: number): Promise<void> {
    this.#events += events;
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) > 1) return;
      const next = (): void => this.#next();
      // A round of few is over in one turn of the event loop.
      if (this.#milliseconds < 1 || turnsAreDriven()) soon(next);
      else setTimeout(next, this.#milliseconds);
    });
  }

  #next(): void {
    const waiting = this.#waiting;
    const crowded = this.#events > CROWDED * waiting.length;
    const longest = Math.min(waiting.length * PATIENCE_MILLISECONDS, LONGEST_MILLISECONDS);
    this.#milliseconds = crowded ? Math.min(longest, 1 + 2 * this.#milliseconds) : this.#milliseconds / 2;
    this.#waiting = [];
    this.#events = 0;
    for (const resolve of waiting) resolve();
  }
}

const MIN_TIMEOUT_SECONDS = 1800;
/** What is written at once: all that a reader that stops reading can leave behind, but for an event's own size. */
const CHUNK_BYTES = 64 * 1024;
/** How long a client may take to read what was written to it before its watch ended, in milliseconds. */
const UNREAD_MILLISECONDS = 10_000;
/** Events made without asking whether others want the event loop. */
const SLICE_EVENTS = 32;

const pace = new DeliveryPace();

/**
 * Handles GET with watch=true: sends events as they come, each as a frame of the media type or a message of a WebSocket. It ends when the
 * client leaves, its time is up, the resource is removed, or the history that it needs is gone, which an ERROR event says. It drops a client
 * that has not read what was written by then.
 */
export async function handleWatch(request: ApiRequest, resource: ServedResource, storage: Watcher): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const { stream: serializer } = serializerOf(format.mediaType);
  if (serializer === undefined) throw notAcceptable(`only the following media types are accepted: ${STREAM_TYPES}`);
  const include = includeObject(request.exchange.query, format);
  const options = listOptions(request, fieldLabelsOf(resource));
  const ending = new AbortController();
  // Spread, so that the watches of one server do not all end at once.
  const least = resource.minWatchSeconds ?? MIN_TIMEOUT_SECONDS;
  const seconds = options.timeoutSeconds || least + randomBelow(resource.random, Math.max(1, Math.trunc(least)));
  const milliseconds = Math.min(seconds * 1000, 2 ** 31 - 1);
  const unread = deferred<never>();
  // Nothing waits for it while the storage opens the watch.
  unread.promise.catch(() => {});
  const end = (): void => ending.abort(REQUEST_IS_OVER);
  let cancelTimer = resource.timers.start(milliseconds, () => {
    end();
    cancelTimer = resource.timers.start(UNREAD_MILLISECONDS, () =>
      unread.reject(timeout("the client did not read its watch to the end", 0)),
    );
  });
  const { signal } = ending;
  // AbortSignal.any takes several times as long, and `removed` would collect what it makes.
  const others = [request.signal, resource.removed];
  for (const other of others) {
    if (other.aborted) end();
    else other.addEventListener("abort", end, { once: true });
  }
  try {
    const events = await storage.watch(scopeOf(request), {
      signal,
      resourceVersion: options.resourceVersion,
      predicate: predicateOf(options),
      allowWatchBookmarks: options.allowWatchBookmarks,
      timeoutMilliseconds: milliseconds,
      sendInitialEvents: options.sendInitialEvents,
      ...(request.onInitialized && { onInitialized: request.onInitialized }),
    });
    const view = { resource, format, include };
    const beginsWithList = options.sendInitialEvents === true && options.allowWatchBookmarks;
    await Promise.race([stream(request, serializer, view, events, beginsWithList), unread.promise]);
  } catch (error) {
    if (request.exchange.signal.aborted) return;
    throw error;
  } finally {
    cancelTimer();
    for (const other of others) other.removeEventListener("abort", end);
    end();
  }
}

async function stream(
  request: ApiRequest,
  serializer: StreamSerializer,
  view: View,
  events: AsyncIterable<readonly StoredEvent[]>,
  beginsWithList: boolean,
): Promise<void> {
  const { exchange } = request;
  // K37-100
  const mayZip = beginsWithList && view.resource.gates.enabled("WatchListCompression");
  const sink = await eventSink(request, serializer, mayZip);
  const span = beginsWithList ? sendingPart(request, serializer, view) : undefined;
  const frames = serializer.open(view, CHUNK_BYTES);
  try {
    for await (const batch of events) {
      // Many events are a state or a backlog: no other watch sends them.
      const isShared = batch.length <= SLICE_EVENTS;
      if (!isShared && sliceIsSpent()) await nextSlice(request);
      const conversion = view.resource.codec.prepare(objectsOf(view, batch), request);
      if (conversion !== undefined) await conversion;
      for (const [index, event] of batch.entries()) {
        const before = frames.length;
        frames.addEvent(event, batch.length - index - 1, isShared);
        exchange.watchEvent?.(frames.length - before);
        // Not for a few: watchers that wake together would wait for a turn of the event loop each.
        if (index % SLICE_EVENTS === SLICE_EVENTS - 1 && sliceIsSpent()) await nextSlice(request);
        if (frames.length >= CHUNK_BYTES) await sink.write(frames.take());
      }
      if (frames.length > 0) await sink.write(frames.take());
      if (span !== undefined && batch.at(-1)?.initialEventsEnd === true) initialEventsSent(span);
      await pace.written(batch.length);
    }
  } catch (error) {
    if (request.exchange.signal.aborted) return;
    frames.addError(statusOf(error));
    await sink.write(frames.take());
  } finally {
    endUnlessEnded(span);
  }
  await sink.end();
}

/** Of a watch that begins with a list, sending that list is a part of the trace; undefined where there is no trace, and for a WebSocket. */
function sendingPart(
  request: ApiRequest,
  { contentType }: StreamSerializer,
  { format }: View,
): RequestSpan | undefined {
  const parent = request.exchange.webSocket === undefined ? currentSpan() : undefined;
  if (parent === undefined) return undefined;
  const encoder = encoderName(format, request, { isStream: true });
  const fields = { ...answerFields(parent.auditId, request, contentType), encoder };
  const span = parent.part("WatchServer.HandleHTTP", fields, "measured");
  span.step("About to start writing response");
  return span;
}

function initialEventsSent(span: RequestSpan): void {
  if (span.hasEnded) return;
  span.step("Writing initial events done");
  span.end(SLOW_ANSWER);
}

/** What has to be converted before the batch is encoded: nothing where the version does not convert later. */
function objectsOf({ resource }: View, batch: readonly StoredEvent[]): readonly StoredObject[] {
  if (!resource.codec.convertsLater) return [];
  return batch.flatMap(({ object }) => (object === undefined ? [] : [object]));
}

function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  return internalError(errorMessage(error)).status;
}

/** The destination of the events of a watch. */
export interface EventSink {
  /** Writes whole frames. Resolves when more may be written. Rejects when the client has left. */
  write(frames: Uint8Array): Promise<void>;
  /** Ends the stream in good order. */
  end(): Promise<void>;
}

/** Begins the answer: a WebSocket when the client asks for one, else a body of unknown length, compressed where it may be and the client takes that. */
async function eventSink(request: ApiRequest, serializer: StreamSerializer, mayZip: boolean): Promise<EventSink> {
  const { webSocket } = request.exchange;
  if (webSocket === undefined) {
    const headers = { "content-type": serializer.contentType };
    if (mayZip && acceptsGzip(request)) return zippingSink(respondHead(request, 200, withGzip(headers)));
    const writer = respondHead(request, 200, headers);
    return {
      write: (frames) => writer.write(frames),
      end: () => writer.end(),
    };
  }
  const connection = await webSocket.accept(webSocket.subprotocols[0]);
  return {
    async write(frames) {
      for (const message of serializer.messages(frames)) await connection.send(message, serializer.messageType);
    },
    end: () => connection.close(),
  };
}

const zippingSink = (writer: ResponseWriter): EventSink => ({
  write: async (frames) => writer.write(await gzipMember(frames)),
  end: () => writer.end(),
});
