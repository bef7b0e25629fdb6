import {
  createReadStream,
  type Dirent,
  openSync,
  readdirSync,
  readSync,
  closeSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, extname, join } from "node:path";
import { pipeline } from "node:stream";
import { errorCode } from "../../base/files/path-error.js";
import { answerError, answerNotFound, escapeHtml } from "./answers.js";
import { contentTypeOf, SNIFFED_BYTES } from "./content-type.js";
import { type Exchange, type Handler, cleanedPath, escapePath } from "./routes.js";

/** Serves the files of a folder as Go's FileServer does: folders by their index.html or as a list. */
export function staticFiles({ folder, prefix }: { readonly folder: string; readonly prefix: string }): Handler {
  return (exchange) => {
    const { response, url } = exchange;
    if (!url.path.startsWith(prefix)) return answerNotFound(response);
    const path = `/${url.path.slice(prefix.length).replace(/^\//, "")}`;
    if (path.endsWith("/index.html")) return redirect(exchange, "./");
    try {
      show(exchange, path, join(folder, cleanedPath(path).replace(/\/$/, "")));
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") answerNotFound(response);
      else if (code === "EACCES" || code === "EPERM") answerError(response, 403, "403 Forbidden");
      else answerError(response, 500, "500 Internal Server Error");
    }
  };
}

function show(exchange: Exchange, path: string, file: string): void {
  const found = statSync(file);
  if (found.isDirectory() !== path.endsWith("/")) {
    return redirect(exchange, found.isDirectory() ? `${basename(path)}/` : `../${basename(path)}`);
  }
  if (!found.isDirectory()) return sendFile(exchange, file, found);
  const index = join(file, "index.html");
  const page = statSync(index, { throwIfNoEntry: false });
  if (page?.isFile() === true) return sendFile(exchange, index, page);
  sendList(exchange, file, found);
}

function redirect({ response, url }: Exchange, location: string): void {
  response.writeHead(301, { Location: location + url.query, "Content-Length": 0 });
  response.end();
}

function sendList({ request, response }: Exchange, folder: string, { mtime }: Stats): void {
  if (isUnchanged(request.headers, mtime)) return notModified(response, mtime);
  const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
  const names = entries.map((entry) => entry.name + (entry.isDirectory() ? "/" : ""));
  const links = names
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `<a href="${linkTo(name)}">${escapeHtml(name)}</a>\n`);
  const body = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join("")}</pre>\n`;
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Last-Modified": mtime.toUTCString(),
    ...(request.method !== "HEAD" && { "Content-Length": Buffer.byteLength(body) }),
  });
  response.end(body);
}

/** A name with a colon would read as a scheme. */
function linkTo(name: string): string {
  const escaped = escapePath(name);
  return /^[^/]*:/.test(escaped) ? `./${escaped}` : escaped;
}

function sendFile({ request, response }: Exchange, file: string, { mtime, size }: Stats): void {
  if (isUnchanged(request.headers, mtime)) return notModified(response, mtime);
  const range = rangeOf(request.headers, size, mtime);
  const common = { "Accept-Ranges": "bytes", "Last-Modified": mtime.toUTCString() };
  if (range === "none") {
    const text = "invalid range: failed to overlap\n";
    response.writeHead(416, {
      "Content-Range": `bytes */${size}`,
      "Content-Type": "text/plain; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    ...common,
    "Content-Type": contentTypeOf(extname(file), () => beginning(file)),
    "Content-Length": end - start + 1,
    ...(range !== undefined && { "Content-Range": `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === "HEAD" || size === 0) response.end();
  else pipeline(createReadStream(file, { start, end }), response, () => undefined);
}

function beginning(file: string): Buffer {
  const bytes = Buffer.alloc(SNIFFED_BYTES);
  const handle = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

type Asked = Exchange["request"]["headers"];

/** Times of files count in whole seconds here. */
function isUnchanged({ "if-modified-since": since }: Asked, mtime: Date): boolean {
  const known = since === undefined ? Number.NaN : Date.parse(since);
  return Math.floor(mtime.getTime() / 1000) * 1000 <= known;
}

function notModified(response: Exchange["response"], mtime: Date): void {
  response.writeHead(304, { "Last-Modified": mtime.toUTCString() });
  response.end();
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** One range of bytes; "none" where it lies outside. Several at once get the whole file, which is always allowed. */
function rangeOf({ range = "", "if-range": condition }: Asked, size: number, mtime: Date): Range | "none" | undefined {
  const [, first = "", last = ""] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(range) ?? [];
  if ((first === "" && last === "") || size === 0) return undefined;
  if (condition !== undefined && condition !== mtime.toUTCString()) return undefined;
  if (first === "") return { start: Math.max(0, size - Number(last)), end: size - 1 };
  const [start, end] = [Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1)];
  if (start >= size) return "none";
  return start > end ? undefined : { start, end };
}
