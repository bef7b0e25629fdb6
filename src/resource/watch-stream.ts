import { decodeJson } from "../machinery/codec/json-decoder.js";
import { isJsonObject, type JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  /** For ERROR a Status. */
  readonly object: KubeObject;
}

/** Decodes the JSON events of a watch as they arrive. Integers beyond 2^53 stay exact. */
export async function* readWatch(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent, void> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) {
      const event = decodeEvent(line);
      if (event !== undefined) yield event;
    }
  }
  const last = decodeEvent(held);
  if (last !== undefined) yield last;
}

function decodeEvent(line: string): WatchEvent | undefined {
  if (line.trim() === "") return undefined;
  const { value } = decodeJson(line);
  return isWatchEvent(value) ? value : NO_EVENT;
}

const isWatchEvent = (value: JsonValue): value is JsonValue & WatchEvent =>
  isJsonObject(value) && typeof value["type"] === "string" && isJsonObject(value["object"]);

/** What client-go makes of something else in a watch. */
const NO_EVENT: WatchEvent = {
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message:
      'an error on the server ("unable to decode an event from the watch stream: unable to decode to metav1.WatchEvent") has prevented the request from succeeding',
    reason: "InternalError",
    code: 500,
  },
};
