import { promisify } from "node:util";
import { constants, gzip, createGzip } from "node:zlib";
import { once } from "node:events";
import type { ApiRequest } from "../../request/api-request.js";
import { type Headers, respondBytes, respondHead } from "../../request/respond.js";

/** Smaller answers are sent as they are: compressing them costs more than it saves. */
const GZIP_FROM_BYTES = 128 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A whole answer, compressed when it is large and the client takes gzip. */
export async function respondBody(
  request: ApiRequest,
  status: number,
  headers: Headers,
  body: Uint8Array,
): Promise<void> {
  if (body.length < GZIP_FROM_BYTES || !acceptsGzip(request)) {
    await respondBytes(request, status, headers, body);
    return;
  }
  const packed = await promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
  await respondBytes(request, status, { ...headers, "content-encoding": "gzip", vary: "Accept-Encoding" }, packed);
}

/**
 * An answer in parts of known total size: written in large chunks with back-pressure, and the event loop gets its turn
 * between them. `parts` is walked once.
 */
export async function respondParts(
  request: ApiRequest,
  headers: Headers,
  totalBytes: number,
  parts: Iterable<Uint8Array>,
): Promise<void> {
  if (totalBytes <= CHUNK_BYTES) {
    await respondBody(request, 200, headers, Buffer.concat([...parts]));
    return;
  }
  if (request.exchange.method === "HEAD") {
    await respondHead(request, 200, { ...headers, "content-length": String(totalBytes) }).end();
    return;
  }
  const zipped = acceptsGzip(request);
  const writer = respondHead(request, 200, {
    ...headers,
    ...(zipped ? { "content-encoding": "gzip", vary: "Accept-Encoding" } : { "content-length": String(totalBytes) }),
  });
  if (!zipped) {
    for (const chunk of chunks(parts)) {
      await writer.write(chunk);
      await turn();
    }
    await writer.end();
    return;
  }
  const zip = createGzip({ level: constants.Z_BEST_SPEED });
  const drained = (async () => {
    for await (const chunk of zip) await writer.write(chunk as Uint8Array);
    await writer.end();
  })();
  const feed = async () => {
    for (const chunk of chunks(parts)) if (!zip.write(chunk)) await once(zip, "drain");
    zip.end();
  };
  try {
    await Promise.all([feed(), drained]);
  } finally {
    zip.destroy();
  }
}

function* chunks(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    pending.push(part);
    length += part.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.concat(pending, length);
    pending = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(pending, length);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function acceptsGzip(request: ApiRequest): boolean {
  return /(?:^|,)\s*gzip\s*(?:;|,|$)/.test(request.exchange.headers["accept-encoding"] ?? "");
}
