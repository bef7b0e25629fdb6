import { decodeJson } from "../../machinery/codec/json-decoder.js";
import { StatusError, type Status } from "../../machinery/errors/status-error.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";

export interface WatchEvent<T extends ApiObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/**
 * Decodes the events of a watch as they arrive, one JSON document per line. Throws an ERROR event as a StatusError (410 when
 * the resourceVersion is too old). Ends when the server ends the watch.
 */
export async function* watchEvents<T extends ApiObject>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const line of lines(body)) {
    const { value } = decodeJson(line);
    if (!isJsonObject(value)) throw new Error("the server sent a watch event that is not an object");
    const { type, object } = value;
    if (type === "ERROR") throw new StatusError(object as unknown as Status);
    yield { type: type as WatchEvent["type"], object: object as unknown as T };
  }
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...held, chunk.subarray(start, end)]);
      held = [];
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  }
  const last = Buffer.concat(held);
  if (last.toString("utf8").trim() !== "") yield last;
}
