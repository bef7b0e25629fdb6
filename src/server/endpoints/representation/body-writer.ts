import { once } from "node:events";
import { promisify } from "node:util";
import { constants, createGzip, gunzip, gzip } from "node:zlib";
import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { ResponseWriter } from "../../request/exchange.js";
import { currentSpan, step } from "../../../machinery/tracing/request-span.js";
import { type Headers, respondBytes, respondHead } from "../../request/respond.js";

/** Answers up to this size are sent as they are: compressing them costs more than it saves. */
const GZIP_ABOVE_BYTES = 128 * 1024;
export const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED };
const GZIP_HEADERS = { "content-encoding": "gzip", vary: "Accept-Encoding" };
/** What is written at once, and so what a reader that stops reading can leave behind in memory. */
const CHUNK_BYTES = 128 * 1024;

/** Sends a whole body, compressed when it is large and the client accepts gzip. */
export function respondBody(request: ApiRequest, status: number, headers: Headers, body: Uint8Array): Promise<void> {
  const { length: size } = body;
  const isZipped = size > GZIP_ABOVE_BYTES && acceptsGzip(request);
  const send = () => (isZipped ? respondZipped : respondBytes)(request, status, headers, body);
  return currentSpan() === undefined ? send() : writeInSteps(size, send);
}

/** Notes the steps of writing a body of this many bytes. */
async function writeInSteps(size: number, write: () => Promise<void>): Promise<void> {
  step("About to start writing response", { size });
  try {
    await write();
    step("Write call succeeded", { size });
  } catch (error) {
    step("Write call failed", { size, err: errorMessage(error) });
    throw error;
  }
}

async function respondZipped(request: ApiRequest, status: number, headers: Headers, body: Uint8Array): Promise<void> {
  const packed = await promisify(gzip)(body, GZIP_OPTIONS);
  throwIfCancelled(request);
  await respondBytes(request, status, withGzip(headers), packed);
}

/** A body that is sent many times. A large one is kept compressed, in a fraction of the memory. */
export interface KeptBody {
  readonly bytes: Uint8Array;
  readonly isZipped: boolean;
}

/** Compresses a large body at the highest level, once for all answers. */
export async function keepBody(body: Uint8Array): Promise<KeptBody> {
  if (body.length <= GZIP_ABOVE_BYTES) return { bytes: body, isZipped: false };
  return { bytes: await promisify(gzip)(body), isZipped: true };
}

/** As {@link respondBody}, for a cached body. */
export async function respondKept(
  request: ApiRequest,
  status: number,
  headers: Headers,
  kept: KeptBody,
): Promise<void> {
  const { bytes, isZipped } = kept;
  if (!isZipped) return respondBytes(request, status, headers, bytes);
  if (acceptsGzip(request)) return respondBytes(request, status, withGzip(headers), bytes);
  await respondBytes(request, status, headers, await promisify(gunzip)(bytes));
}

/**
 * Sends a body of any length in chunks, as fast as the client reads them and without holding the event loop for long. A short body has a
 * Content-Length. `parts` is iterated once, and no further once the request is cancelled.
 */
export async function respondParts(request: ApiRequest, headers: Headers, parts: Iterable<Uint8Array>): Promise<void> {
  const rest = chunks(parts, request);
  const begun: Uint8Array[] = [];
  while (begun.length < 2) {
    const next = await rest.next();
    if (next.done === true) return respondBody(request, 200, headers, begun[0] ?? new Uint8Array());
    begun.push(next.value);
  }
  const zipped = acceptsGzip(request);
  const writer = respondHead(request, 200, zipped ? withGzip(headers) : headers);
  if (request.exchange.method === "HEAD") return writer.end();
  const all = inOrder(begun, rest);
  if (zipped) return writeZipped(writer, all);
  for await (const chunk of all) await writer.write(chunk);
  await writer.end();
}

async function* inOrder<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

async function writeZipped(writer: ResponseWriter, chunksOfAll: AsyncIterable<Uint8Array>): Promise<void> {
  const zip = createGzip(GZIP_OPTIONS);
  const feed = async (): Promise<void> => {
    for await (const chunk of chunksOfAll) if (!zip.write(chunk)) await once(zip, "drain");
    zip.end();
  };
  const drain = async (): Promise<void> => {
    for await (const chunk of zip) await writer.write(chunk as Uint8Array);
    await writer.end();
  };
  try {
    await Promise.all([feed(), drain()]);
  } finally {
    zip.destroy();
  }
}

/** Joins the parts to chunks of at least {@link CHUNK_BYTES}; the last one may be smaller. */
async function* chunks(parts: Iterable<Uint8Array>, token: CancellationToken): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    pending.push(part);
    length += part.length;
    if (sliceIsSpent()) await nextSlice(token);
    if (length <= CHUNK_BYTES) continue;
    yield joined(pending, length);
    pending = [];
    length = 0;
    // Even when it is quickly made: a chunk is also quickly written, and others want to write too.
    await nextSlice(token);
  }
  if (length > 0) yield joined(pending, length);
}

const joined = (parts: readonly Uint8Array[], length: number): Uint8Array =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length);

export const withGzip = (headers: Headers): Headers => ({
  ...headers,
  ...GZIP_HEADERS,
  vary: [headers["vary"] ?? [], GZIP_HEADERS.vary].flat(),
});

/** Whether a client accepts gzip, by kube-apiserver's rule: the bare word, without a weight. */
export function acceptsGzip(request: ApiRequest): boolean {
  return (request.exchange.headers["accept-encoding"] ?? "").split(",").some((token) => token.trim() === "gzip");
}
