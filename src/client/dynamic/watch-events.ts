import type { FieldsOf } from "../../machinery/meta/received.js";
import { errorMessage } from "../../base/text/error-message.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { inSlices } from "../../base/async/time-slice.js";
import { exactJsonSteps } from "../../machinery/wire/json/exact-json.js";
import { decodeJson, maxJsonDepth } from "../../machinery/wire/json/json-decoder.js";
import { isTransportError } from "../transport/transport-error.js";
import { genericServerResponse, type Status, StatusError } from "../../machinery/errors/status-error.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { Stored } from "./stored.js";

/** A change of an object, with its state after the change; after a deletion, with its last state. */
export interface ObjectEvent<T extends ApiObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Stored<T>;
}

/** The items of a watch: events of objects and, if requested, bookmarks. */
export type WatchEvent<T extends ApiObject = KubeObject> =
  | ObjectEvent<T>
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** A bookmark of a watch: it carries the resourceVersion that the watch has reached, and no object. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta & { resourceVersion: string };
}

/** One frame of a watch as the server sends it. An ERROR's object is a Status; it is the last frame that a server sends. */
export interface WatchFrame {
  readonly type: WatchEvent["type"] | "ERROR";
  readonly object: KubeObject;
}

/**
 * Decodes a watch. Yields the events of each chunk together, as they arrive. Throws an ERROR event as a StatusError (410 when
 * the resourceVersion is too old) after the events before it. Ends when the server ends the watch.
 */
export async function* watchBatches<T extends ApiObject>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  for await (const frames of watchFrames(body)) {
    const last = frames.at(-1);
    if (last?.type !== "ERROR") {
      yield frames as readonly WatchEvent<T>[];
      continue;
    }
    if (frames.length > 1) yield frames.slice(0, -1) as readonly WatchEvent<T>[];
    const status: FieldsOf<Status> = last.object;
    throw new StatusError(status as Status);
  }
}

/**
 * Decodes the frames of a watch, ERROR events included: one JSON document per line. Integers beyond 2^53 are bigint. An invalid
 * frame becomes client-go's ERROR event, which is the last one. A truncated last line is dropped, as in client-go. Yields no empty
 * array. At most one event of {@link LONGEST_EVENT} bytes is buffered.
 */
export async function* watchFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly WatchFrame[], void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of body) {
    // A newline is never part of a longer UTF-8 sequence, so what ends with one is whole characters.
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const frames = await framesOf(joined(held, heldBytes, chunk.subarray(0, end)));
      held = [];
      heldBytes = 0;
      if (frames.length > 0) yield frames;
      if (frames.at(-1)?.type === "ERROR") return;
    }
    if (end === chunk.length) continue;
    held.push(end === 0 ? chunk : chunk.subarray(end));
    heldBytes += chunk.length - end;
    if (heldBytes > LONGEST_EVENT) {
      yield [undecodable("object to decode was longer than maximum allowed size")];
      return;
    }
  }
  const last = await framesOf(joined(held, heldBytes, new Uint8Array()), true);
  if (last.length > 0) yield last;
}

/**
 * Yields the frames of {@link watchFrames}. When the connection breaks, it yields client-go's ERROR event, or ends where client-go
 * sees an ordinary end.
 */
export async function* framesUntilBroken(
  frames: AsyncIterable<readonly WatchFrame[]>,
): AsyncGenerator<readonly WatchFrame[], void> {
  try {
    yield* frames;
  } catch (error) {
    if (!isTransportError(error)) throw error;
    if (!isUsualEnd(error.reason)) yield [undecodable(error.reason)];
  }
}

/** What client-go takes for the end of a watch: EOF, a broken connection, and a time that is over. */
const USUAL_END =
  /(?:^|: )(?:unexpected )?EOF$|connection reset by peer|use of closed network connection|GOAWAY|Client\.Timeout|i\/o timeout|TLS handshake timeout/;

/** Whether a connection that broke for this reason is the end of a watch without an error. */
export const isUsualEnd = (reason: string): boolean => USUAL_END.test(reason);

/** client-go's limit of an event, in bytes. */
const LONGEST_EVENT = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function joined(held: readonly Uint8Array[], heldBytes: number, last: Uint8Array): string {
  if (held.length === 0) return utf8.decode(last);
  const bytes = new Uint8Array(heldBytes + last.length);
  let at = 0;
  for (const part of held) {
    bytes.set(part, at);
    at += part.length;
  }
  bytes.set(last, at);
  return utf8.decode(bytes);
}

/** A line so long, in characters, is decoded in slices of the event loop. */
const LONG_LINE = 64 * 1024;

function framesOf(text: string, mayBreakOff = false): WatchFrame[] | Promise<WatchFrame[]> {
  const steps = framesSteps(text, mayBreakOff);
  return text.length > LONG_LINE ? inSlices(steps) : atOnce(steps);
}

/** The events of whole lines, in steps. With `mayBreakOff`, a text that ends too early is no event and no error. */
function* framesSteps(text: string, mayBreakOff: boolean): Steps<WatchFrame[]> {
  const frames: WatchFrame[] = [];
  let exact: boolean | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    let value: JsonValue;
    try {
      if (line.length > LONG_LINE) value = (yield* exactJsonSteps(line, maxJsonDepth)).value;
      else {
        exact ??= !INEXACT_NUMBER.test(text);
        value = exact ? parse(line) : decodeJson(line).value;
      }
    } catch (error) {
      const isNoEvent = line.trim() === "" || (mayBreakOff && (error as { endedEarly?: boolean }).endedEarly === true);
      if (isNoEvent) continue;
      frames.push(undecodable(errorMessage(error)));
      break;
    }
    const frame = frameOf(value);
    frames.push(frame);
    if (frame.type === "ERROR") break;
  }
  return frames;
}

function frameOf(value: JsonValue): WatchFrame {
  if (!isJsonObject(value)) return undecodable(NO_EVENT);
  const { type, object } = value;
  if (typeof type !== "string" || !isJsonObject(object)) return undecodable(NO_EVENT);
  return isFrameType(type) ? { type, object } : undecodable(`got invalid watch event type: ${type}`);
}

const NO_EVENT = "unable to decode to metav1.WatchEvent";
const isFrameType = (type: string): type is WatchFrame["type"] => TYPES.has(type);
const TYPES: ReadonlySet<string> = new Set<WatchFrame["type"]>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** As decodeJson, for a line without a number that a double might change: without its scan where a line cannot nest too deep. */
function parse(line: string): JsonValue {
  if (line.length > CANNOT_NEST_TOO_DEEP) return decodeJson(line).value;
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return decodeJson(line).value;
  }
}

/** A document of this length nests at most half as deep: within the limit of decodeJson. */
const CANNOT_NEST_TOO_DEEP = 20_000;

/** Sixteen digits, an exponent or a negative zero where a number may stand. Text in a string may look like it; that costs time only. */
const INEXACT_NUMBER = /[:,[]\s*-?(?:[\d.]{16}|\d[\d.]*[eE]|0(?<=-0)(?![.\d]))/;

/** What client-go makes of a frame that is no event. */
function undecodable(reason: string): WatchFrame {
  const message = `unable to decode an event from the watch stream: ${reason}`;
  const { status } = genericServerResponse({
    code: 500,
    verb: "GET",
    resource: { group: "", resource: "" },
    name: "",
    serverMessage: message,
    isUnexpected: true,
  });
  const causes = [...(status.details?.causes ?? []), { reason: "ClientWatchDecoding", message }];
  return { type: "ERROR", object: { ...status, details: { causes } } };
}
