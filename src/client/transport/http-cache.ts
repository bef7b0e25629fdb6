import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import { removeCacheFile, writeCacheFile } from "../cache-files.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";

/**
 * A disk cache of GETs in kubectl's format. The file name is the hexadecimal `sha256(url)`; the file holds the SHA-256 of
 * the rest, then a whole HTTP/1.1 response. A fresh entry saves the request, a stale one with an ETag is revalidated.
 */
export class HttpCache {
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Sends `request` unless a fresh entry answers it. `url` is the full URL, the key. */
  async send(transport: Transport, request: TransportRequest, url: string): Promise<TransportResponse> {
    const file = join(this.folder, createHash("sha256").update(url).digest("hex"));
    const cached = load(file);
    if (cached && variesNot(cached, request)) {
      if (isFresh(cached, this.clock.now())) return respondFromCache(cached);
      return this.revalidate(transport, request, file, cached);
    }
    return this.store(file, request, await transport.send(request));
  }

  private async revalidate(
    transport: Transport,
    request: TransportRequest,
    file: string,
    cached: StoredResponse,
  ): Promise<TransportResponse> {
    const etag = joined(cached.headers.get("etag"));
    const modified = joined(cached.headers.get("last-modified"));
    const headers = {
      ...request.headers,
      ...(etag !== undefined && { "if-none-match": etag }),
      ...(modified !== undefined && { "if-modified-since": modified }),
    };
    const answer = await transport.send({ ...request, headers });
    if (answer.status !== 304) {
      if (answer.status !== 200) removeCacheFile(file);
      return this.store(file, request, answer);
    }
    await readAll(answer.body);
    let changed = false;
    for (const [name, value] of Object.entries(answer.headers)) {
      if (HOP_BY_HOP.has(name) || value === undefined) continue;
      changed ||= !OF_ONE_ANSWER.has(name) && joined(cached.headers.get(name)) !== joined(value);
      cached.headers.set(name, valuesOf(value));
    }
    // Revalidation renews the date of an entry that is fresh for a time. Other entries are revalidated each time and need no
    // new date.
    if (changed || lifetimeOf(cached) !== 0) save(file, cached, this.random);
    return respondFromCache(cached);
  }

  private async store(file: string, request: TransportRequest, answer: TransportResponse): Promise<TransportResponse> {
    const control = cacheControl(answer.headers["cache-control"]);
    if (control.has("no-store")) return answer;
    const headers = new Map<string, readonly string[]>();
    const packed = answer.headers["content-encoding"] !== undefined;
    for (const [name, value] of Object.entries(answer.headers)) {
      // The transport has decompressed the body already.
      if (packed && (name === "content-encoding" || name === "content-length")) continue;
      if (HOP_BY_HOP.has(name) || value === undefined) continue;
      headers.set(name, valuesOf(value));
    }
    for (const name of listOf(joined(headers.get("vary")))) {
      const sent = request.headers[name.toLowerCase()];
      // Go adds Accept-Encoding below its cache, so the cache never sees it.
      if (sent && name.toLowerCase() !== "accept-encoding") headers.set(`x-varied-${name.toLowerCase()}`, [sent]);
    }
    const stored = { status: answer.status, headers, body: await readAll(answer.body) };
    save(file, stored, this.random);
    return respond(stored);
  }
}

/** Headers that differ between two equal answers. */
const OF_ONE_ANSWER = new Set(["date", "audit-id", "content-length"]);

interface StoredResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Map<string, readonly string[]>;
  readonly body: Uint8Array;
}

const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "trailers",
  "transfer-encoding",
  "upgrade",
]);

function load(file: string): StoredResponse | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  const content = bytes.subarray(32);
  if (bytes.length < 32 || !createHash("sha256").update(content).digest().equals(bytes.subarray(0, 32)))
    return undefined;
  const end = content.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = content.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/\d\.\d (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Map<string, readonly string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  const raw = content.subarray(end + 4);
  const body = joined(headers.get("transfer-encoding")) === "chunked" ? unchunk(raw) : raw;
  return status === 0 || body === undefined ? undefined : { status, headers, body };
}

function unchunk(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    if (Number.isNaN(size)) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** Writes an entry. Ignores errors. */
function save(file: string, { status, headers, body }: StoredResponse, random: Random): void {
  const kept = [...headers].filter(([name]) => !HOP_BY_HOP.has(name) && name !== "content-length");
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = kept.flatMap(([name, values]) => values.map((value) => `${canonical(name)}: ${value}\r\n`)).join("");
  // Go writes no Content-Length where the server sent none. Such a body ends with the file.
  const length = headers.has("content-length") ? `Content-Length: ${body.byteLength}\r\n` : "";
  const head = `HTTP/1.1 ${status} ${statusText(status)}\r\n${length}${lines}\r\n`;
  const content = Buffer.concat([Buffer.from(head, "latin1"), body]);
  try {
    writeCacheFile(file, Buffer.concat([createHash("sha256").update(content).digest(), content]), random);
  } catch {
    // The next request goes to the server again.
  }
}

/** The executable reaches most servers without node:http, which takes long to load. */
function statusText(status: number): string {
  return status === 200 ? "OK" : (process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "");
}

function canonical(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());
}

function isFresh(cached: StoredResponse, now: number): boolean {
  const date = Date.parse(joined(cached.headers.get("date")) ?? "");
  return !Number.isNaN(date) && lifetimeOf(cached) > now - date;
}

/** How long an entry is fresh, in milliseconds from its date; 0 when it must be revalidated each time. */
function lifetimeOf({ headers }: StoredResponse): number {
  const control = cacheControl(headers.get("cache-control"));
  if (control.has("no-cache")) return 0;
  const maxAge = control.get("max-age");
  if (maxAge !== undefined) return Number(maxAge) * 1000;
  const times = [headers.get("date"), headers.get("expires")];
  const [date, expires] = times.map((time) => Date.parse(joined(time) ?? ""));
  return expires === undefined || date === undefined || Number.isNaN(expires - date) ? 0 : expires - date;
}

/** True when the headers named by Vary are the same as when the entry was stored. */
function variesNot({ headers }: StoredResponse, request: TransportRequest): boolean {
  return listOf(joined(headers.get("vary"))).every((name) => {
    const lower = name.toLowerCase();
    if (lower === "accept-encoding") return true;
    return (joined(headers.get(`x-varied-${lower}`)) ?? "") === (request.headers[lower] ?? "");
  });
}

function cacheControl(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const parts = listOf(joined(header));
  return new Map(
    parts.map((part) => part.split("=", 2)).map(([name = "", value = ""]) => [name.trim().toLowerCase(), value.trim()]),
  );
}

function listOf(header: string | undefined): readonly string[] {
  return (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function respond({ status, headers, body }: StoredResponse): TransportResponse {
  const given = [...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return { status, headers: Object.fromEntries(given) as TransportResponse["headers"], body: once(body) };
}

/** Adds the header by which Go's cache marks its answers. The log shows it. */
function respondFromCache(stored: StoredResponse): TransportResponse {
  const answer = respond(stored);
  return { ...answer, headers: { ...answer.headers, "x-from-cache": "1" } };
}

const valuesOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === "string" ? [value] : value;

/** Joins the values of a repeated header with commas, which means the same. */
const joined = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "object" ? value.join(", ") : value;

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield body;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
