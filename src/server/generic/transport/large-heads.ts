import type { ServerHttp2Stream } from "node:http2";

/** The longest head of a request, in bytes: Go's default. */
export const HEAD_BYTES = 1024 * 1024;

/** What HTTP/2 counts for a field beside its name and its value. */
const FIELD_OVERHEAD = 32;
/** Go allows for the overhead of ten fields. */
const COUNTED_BYTES = HEAD_BYTES + 10 * FIELD_OVERHEAD;

/**
 * The settings of a port for heads. Node resets the stream of a head that is longer than the setting says, without an answer, so it says more
 * than is taken. Frames of a whole head keep Go's clients below nghttp2's limit of nine frames a head.
 */
export const HEAD_SETTINGS = { maxHeaderListSize: 4 * HEAD_BYTES, maxFrameSize: HEAD_BYTES };

/** Answers 431 to an HTTP/2 request whose head is too long. Returns true when it did. `rawHeaders` has names and values in turn. */
export function refuseLongHead(stream: ServerHttp2Stream, rawHeaders: readonly string[]): boolean {
  let counted = (rawHeaders.length / 2) * FIELD_OVERHEAD;
  for (const text of rawHeaders) counted += text.length;
  if (counted <= COUNTED_BYTES) return false;
  stream.resume();
  // Byte for byte the answer of Go's net/http.
  stream.respond({ ":status": 431, "content-type": "text/html; charset=utf-8" });
  stream.end("<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>");
  return true;
}
