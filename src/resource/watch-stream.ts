import { decodeJson } from "../machinery/codec/json-decoder.js";
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
  return decodeJson(line).value as unknown as WatchEvent;
}
