import { randomBelow } from "../../../base/random-below.js";
import { nextSlice, sliceIsSpent } from "../../../base/time-slice.js";
import { isStatusError, internalError, notAcceptable, type Status } from "../../../machinery/errors/status-error.js";
import type { Watcher } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { StoredEvent } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { fieldLabelsOf } from "../options/field-labels.js";
import { listOptions, predicateOf } from "../options/list-options.js";
import { jsonBytes } from "../representation/json-text.js";
import { LineChunk } from "../representation/line-chunk.js";
import { RecentLines } from "../representation/recent-lines.js";
import { type BookmarkMetadata, shaper, type Shaper } from "../representation/shapes.js";
import type { ServedResource } from "../served-resource.js";
import { DeliveryPace } from "./delivery-pace.js";
import { eventSink } from "./event-sink.js";
import { includeObject, objectFormat, scopeOf } from "./scope.js";

const MIN_TIMEOUT_SECONDS = 1800;
const ACCEPTED = "only the following media types are accepted: application/json;stream=watch";
/** What is written at once: all that a reader that stops reading can leave behind, but for an event's own size. */
const CHUNK_BYTES = 64 * 1024;
/** Events made without asking whether others want the event loop. */
const SLICE_EVENTS = 32;

const recentLines = new RecentLines(2 * 1024 * 1024);
const pace = new DeliveryPace();

/**
 * GET with watch=true: events as they come, each a line of JSON or a message of a WebSocket, until the client leaves, its time is up, the resource is removed or the history
 * it needs is gone; the last is told in an ERROR event.
 */
export async function handleWatch(request: ApiRequest, resource: ServedResource, storage: Watcher): Promise<void> {
  const format = objectFormat(request.exchange);
  if (format.mediaType !== "application/json") throw notAcceptable(ACCEPTED);
  const include = includeObject(request.exchange.query, format);
  const options = listOptions(request, fieldLabelsOf(resource));
  const ending = new AbortController();
  // Spread, so that the watches of one server do not all end at once.
  const seconds = options.timeoutSeconds || MIN_TIMEOUT_SECONDS + randomBelow(resource.random, MIN_TIMEOUT_SECONDS);
  const milliseconds = Math.min(seconds * 1000, 2 ** 31 - 1);
  const timer = setTimeout(() => ending.abort(), milliseconds);
  const signal = AbortSignal.any([ending.signal, request.signal, resource.removed]);
  try {
    const events = await storage.watch(scopeOf(request), {
      signal,
      resourceVersion: options.resourceVersion,
      predicate: predicateOf(options),
      allowWatchBookmarks: options.allowWatchBookmarks,
      timeoutMilliseconds: milliseconds,
      sendInitialEvents: options.sendInitialEvents,
    });
    await stream(request, resource, format, shaper(resource, format, include), events);
  } catch (error) {
    if (request.exchange.signal.aborted) return;
    throw error;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function stream(
  request: ApiRequest,
  resource: ServedResource,
  format: ResponseFormat,
  shape: Shaper,
  events: AsyncIterable<readonly StoredEvent[]>,
): Promise<void> {
  const sink = await eventSink(request, format);
  const chunk = new LineChunk(CHUNK_BYTES);
  /** Stored bytes are the event's bytes, but for the resourceVersion. */
  const plain = format.shape === "object" && resource.codec.isHub;
  let first = true;
  try {
    for await (const batch of events) {
      for (const [index, event] of batch.entries()) {
        // Of few events others are told too, so their lines are kept; of many, a state or a backlog, nobody else is.
        const stored = plain && batch.length > SLICE_EVENTS ? event.object : undefined;
        if (stored === undefined || !chunk.addStored(event.type, stored, batch.length - index - 1)) {
          chunk.add(eventLine(resource, format, shape, event, first));
        }
        first = false;
        // Not for a few: watchers that wake together would wait for a turn of the event loop each.
        if (index % SLICE_EVENTS === SLICE_EVENTS - 1 && sliceIsSpent()) await nextSlice();
        if (chunk.length >= CHUNK_BYTES) await sink.write(chunk.take());
      }
      if (chunk.length > 0) await sink.write(chunk.take());
      await pace.written(batch.length);
    }
  } catch (error) {
    if (request.exchange.signal.aborted) return;
    await sink.write(line("ERROR", jsonBytes(statusOf(error))));
  }
  await sink.end();
}

function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  return internalError(error instanceof Error ? error.message : String(error)).status;
}

function eventLine(
  resource: ServedResource,
  format: ResponseFormat,
  shape: Shaper,
  event: StoredEvent,
  first: boolean,
): Uint8Array {
  const { type, object } = event;
  if (object === undefined) return line(type, shape.bookmark(bookmarkMetadata(event), first));
  // Ages in a table are as of when it is sent.
  if (format.shape === "Table") return line(type, shape.one(object, first));
  return recentLines.get(object, { resource, type, format }, () => line(type, shape.one(object)));
}

/** What tells how far the watch is; the one that ends the initial events says so. */
function bookmarkMetadata({ revision, initialEventsEnd }: StoredEvent): BookmarkMetadata {
  return {
    resourceVersion: String(revision),
    ...(initialEventsEnd === true && { annotations: { "k8s.io/initial-events-end": "true" } }),
  };
}

function line(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END]);
}

const END = Buffer.from("}\n");
