import { isStatusError, internalError, type Status } from "../../../machinery/errors/status-error.js";
import type { Watcher } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { respondHead } from "../../request/respond.js";
import type { StoredEvent } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import { listOptions, predicateOf } from "../options/list-options.js";
import { jsonBytes } from "../representation/json-text.js";
import { partialMetadata, shaper, type Shaper, tableBytes } from "../representation/shapes.js";
import type { ServedResource } from "../served-resource.js";
import { fieldLabelsOf, includeObject, objectFormat, scopeOf } from "./scope.js";

const MIN_TIMEOUT_SECONDS = 1800;

/**
 * GET with watch=true: events as they come, each a line of JSON, until the client leaves, its time is up or the history
 * it needs is gone; the last is told in an ERROR event.
 */
export async function handleWatch(request: ApiRequest, resource: ServedResource, storage: Watcher): Promise<void> {
  const format = objectFormat(request.exchange);
  const include = includeObject(request.exchange.query);
  const options = listOptions(request, fieldLabelsOf(resource));
  const ending = new AbortController();
  // Spread, so that not every watch of a server ends at once; no name or secret comes of it.
  const seconds = options.timeoutSeconds || MIN_TIMEOUT_SECONDS * (1 + Math.random());
  const milliseconds = Math.min(seconds * 1000, 2 ** 31 - 1);
  const timer = setTimeout(() => ending.abort(), milliseconds);
  const signal = AbortSignal.any([ending.signal, request.signal]);
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
  const writer = respondHead(request, 200, { "content-type": format.mediaType });
  let first = true;
  try {
    for await (const batch of events) {
      const lines = batch.map((event) => {
        const line = eventLine(resource, format, shape, event, first);
        first = false;
        return line;
      });
      await writer.write(lines.length === 1 && lines[0] !== undefined ? lines[0] : Buffer.concat(lines));
    }
  } catch (error) {
    if (request.exchange.signal.aborted) return;
    await writer.write(line("ERROR", jsonBytes(statusOf(error))));
  }
  await writer.end();
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
  if (event.object !== undefined) return line(event.type, shape.one(event.object, first));
  return line(event.type, bookmark(resource, format, event, first));
}

/** A bookmark is an empty object of the watched kind with the revision seen. */
function bookmark(resource: ServedResource, format: ResponseFormat, event: StoredEvent, first: boolean): Uint8Array {
  const resourceVersion = String(event.revision);
  const metadata = {
    resourceVersion,
    ...(event.initialEventsEnd === true && { annotations: { "k8s.io/initial-events-end": "true" } }),
  };
  switch (format.shape) {
    case "object":
      return resource.codec.encodeEmpty(metadata);
    case "PartialObjectMetadata":
      return partialMetadata({ metadata }, format);
    case "Table": {
      const definitions = first ? resource.strategy.columns.definitions : null;
      const object = partialMetadata({ metadata }, format);
      const cells = resource.strategy.columns.definitions.map(() => null);
      return tableBytes(format, { resourceVersion }, definitions, [{ cells, object }]);
    }
  }
}

function line(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, END]);
}

const END = Buffer.from("}\n");
