import { requestEntityTooLarge } from "../../../machinery/errors/status-error.js";

/** Reads a body whole; throws a 413 StatusError as soon as it is longer than `limit` bytes. */
export async function readBody(source: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > limit) throw requestEntityTooLarge(`limit is ${limit}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** Splits a request target into path and query; what follows a "#" was never sent. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
