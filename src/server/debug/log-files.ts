import { dictionary } from "../../base/collections/dictionary.js";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { errorCode } from "../../base/files/path-error.js";
import type { ApiRequest } from "../request/api-request.js";
import { respondBytes, respondHead, respondText } from "../request/respond.js";

const ROOT = "/logs";
const CHUNK_BYTES = 64 * 1024;

/**
 * Serves the files of a folder below /logs, with lists of its folders. It serves nothing outside of the folder, whatever links
 * lead there, and only regular files.
 */
export async function respondLogs(request: ApiRequest, folder: string): Promise<void> {
  const { method } = request.exchange;
  if (method !== "GET" && method !== "HEAD") return respondText(request, 405, "405: Method Not Allowed");
  const path = decoded(request.info.path.slice(ROOT.length));
  const found = path === undefined ? undefined : await within(folder, path);
  if (found === undefined) return respondText(request, 404, "404 page not found\n");
  try {
    await respondFile(request, found);
  } catch (error) {
    if (request.exchange.responded || errorCode(error) === undefined) throw error;
    await respondText(request, 404, "404 page not found\n");
  }
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The real path of a file below the folder; undefined for one that is not there. */
async function within(folder: string, path: string): Promise<string | undefined> {
  try {
    const root = await realpath(folder);
    const real = await realpath(join(root, path));
    return real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`) ? real : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function respondFile(request: ApiRequest, path: string): Promise<void> {
  const kind = await lstat(path);
  if (kind.isDirectory()) return respondFolder(request, path);
  // To open a pipe would wait for its other end.
  if (!kind.isFile()) return respondText(request, 404, "404 page not found\n");
  const file = await open(path, "r");
  try {
    const stat = await file.stat();
    // A log that grows meanwhile is answered as it was.
    const type = { "content-type": "text/plain; charset=utf-8", "content-length": String(stat.size) };
    const writer = respondHead(request, 200, type);
    if (request.exchange.method === "HEAD") return await writer.end();
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < stat.size; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, stat.size - at), at);
      // The log was cut meanwhile: the answer cannot be what its head says.
      if (bytesRead === 0) throw new Error(`the log ${path} was cut while it was read`);
      await writer.write(Buffer.from(buffer.subarray(0, bytesRead)));
      at += bytesRead;
    }
    await writer.end();
  } finally {
    await file.close();
  }
}

/** As Go's file server lists a folder. */
async function respondFolder(request: ApiRequest, path: string): Promise<void> {
  const { path: asked } = request.info;
  if (!asked.endsWith("/")) {
    const last = asked.slice(asked.lastIndexOf("/") + 1);
    const writer = respondHead(request, 301, { location: `${last}/`, "content-length": "0" });
    return writer.end();
  }
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const links = names.map((name) => `<a href="${html(urlOf(name))}">${html(name)}</a>\n`).join("");
  const page = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links}</pre>\n`;
  await respondBytes(request, 200, { "content-type": "text/html; charset=utf-8" }, Buffer.from(page));
}

const urlOf = (name: string): string => name.split("/").map(encodeURIComponent).join("/");

const ENTITIES: Readonly<Record<string, string>> = dictionary({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
});

const html = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? "");
