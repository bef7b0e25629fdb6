import { dictionary } from "../../../base/collections/dictionary.js";
import { FileError } from "../files/file-error.js";
import { type FileSystem, normalPath } from "../files/file-system.js";
import type { RegularNode } from "../files/node.js";
import type { HttpAnswer, HttpRequest } from "./page.js";

/** The web server of an image, and the folder of its pages. */
export interface Site {
  readonly root: string;
  readonly server: "nginx" | "httpd";
  /** Where it listens, whether or not its pod declares the port. */
  readonly port: number;
  /** As it calls itself: "nginx/1.27.3". */
  readonly title: string;
}

const SITES: Readonly<Record<string, Omit<Site, "title">>> = dictionary({
  nginx: { server: "nginx", root: "/usr/share/nginx/html", port: 80 },
  "nginx-slim": { server: "nginx", root: "/usr/share/nginx/html", port: 80 },
  "nginx-unprivileged": { server: "nginx", root: "/usr/share/nginx/html", port: 8080 },
  httpd: { server: "httpd", root: "/usr/local/apache2/htdocs", port: 80 },
  apache: { server: "httpd", root: "/app", port: 8080 },
});

/** Finds the site of a web server's image by the last part of its name: "docker.io/bitnami/nginx:1.27"; undefined for other images. */
export function siteOf(image: string): Site | undefined {
  const [tagged = ""] = image.split("@");
  const names = tagged.split("/");
  const [name = "", tag = ""] = (names.at(-1) ?? "").split(":");
  const site = SITES[name];
  if (site === undefined) return undefined;
  const [version] = /^\d+\.\d+\.\d+/.exec(tag) ?? [];
  const title = `${site.server === "nginx" ? "nginx" : "Apache"}${version === undefined ? "" : `/${version}`}`;
  return { ...site, title, ...(names.at(-2)?.startsWith("bitnami") === true && { root: "/app", port: 8080 }) };
}

/** Whether a mount at one of the paths shows in the site's folder: it is at the folder itself, or above or below it. */
export const isMountedAt = ({ root }: Site, paths: readonly string[]): boolean =>
  paths.some((path) => {
    const place = normalPath("/", path);
    return `${root}/`.startsWith(`${place}/`) || place.startsWith(`${root}/`);
  });

/** The web server's answer to a request; undefined where it has no files at all. */
export function answerOf(files: FileSystem, site: Site, request: HttpRequest): HttpAnswer | undefined {
  const folder = files.look(site.root);
  if (folder?.kind !== "directory" || files.entriesAt(site.root, folder).size === 0) return undefined;
  const { method, target, host } = request;
  const isRead = method === "GET" || method === "HEAD";
  if (site.server === "nginx" && !isRead) return failure(site, 405);
  const path = pathOf(target);
  if (path === undefined) return failure(site, 400);
  const found = find(files, `${site.root}${path}`);
  if (found?.kind === "directory" && !path.endsWith("/")) return moved(site, `http://${host}${path}/`);
  if (found?.kind === "directory") {
    const index = find(files, `${site.root}${path}index.html`);
    return index?.kind === "file" ? page(files, `${site.root}${path}index.html`, index, site) : failure(site, 403);
  }
  return found?.kind === "file" && !path.endsWith("/")
    ? page(files, `${site.root}${path}`, found, site)
    : failure(site, 404);
}

const find = (files: FileSystem, path: string) => {
  try {
    return files.find(path);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
};

/** Without its query, decoded and without "..": it leads nowhere above. Undefined where it cannot be decoded. */
function pathOf(target: string): string | undefined {
  const [, path = "/"] = /^(?:https?:\/\/[^/]*)?([^?#]*)/.exec(target) ?? [];
  try {
    const decoded = decodeURIComponent(path);
    if (decoded.includes("\0") || decoded.split("/").includes("..")) return undefined;
    const normal = normalPath("/", decoded);
    return decoded.endsWith("/") && normal !== "/" ? `${normal}/` : normal;
  } catch {
    return undefined;
  }
}

function page(files: FileSystem, path: string, file: RegularNode, site: Site): HttpAnswer {
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  const fallback = site.server === "nginx" ? "application/octet-stream" : undefined;
  return {
    status: "200 OK",
    fields: [
      `Server: ${site.title}`,
      ...((type ?? fallback) === undefined ? [] : [`Content-Type: ${type ?? fallback}`]),
      `Last-Modified: ${new Date(file.mtime * 1000).toUTCString()}`,
    ],
    length: file.content.size,
    body: files.read(path),
  };
}

const TYPES: Readonly<Record<string, string>> = dictionary({
  css: "text/css",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "application/javascript",
  json: "application/json",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wasm: "application/wasm",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "text/xml",
});

/** The words of each server: what nginx puts in title and heading, and the sentence of httpd below its own. */
const FAILURES = {
  301: ["Moved Permanently", "Moved Permanently", 'The document has moved <a href="$">here</a>.'],
  400: ["Bad Request", "Bad Request", "Your browser sent a request that this server could not understand.<br />\n"],
  403: ["Forbidden", "Forbidden", "You don't have permission to access this resource."],
  404: ["Not Found", "Not Found", "The requested URL was not found on this server."],
  405: ["Not Allowed", "Method Not Allowed", "The requested method is not allowed for this URL."],
} as const;

function failure(site: Site, code: keyof typeof FAILURES, location = ""): HttpAnswer {
  const [short, reason, sentence] = FAILURES[code];
  const text =
    site.server === "nginx"
      ? `<html>\r\n<head><title>${code} ${short}</title></head>\r\n<body>\r\n<center><h1>${code} ${short}</h1></center>\r\n<hr><center>${site.title}</center>\r\n</body>\r\n</html>\r\n`
      : `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>${code} ${reason}</title>\n</head><body>\n<h1>${reason}</h1>\n<p>${sentence.replace("$", () => location)}</p>\n</body></html>\n`;
  const type = site.server === "nginx" ? "text/html" : "text/html; charset=iso-8859-1";
  return {
    status: `${code} ${reason}`,
    fields: [`Server: ${site.title}`, `Content-Type: ${type}`],
    length: Buffer.byteLength(text),
    body: [Buffer.from(text)],
  };
}

function moved(site: Site, location: string): HttpAnswer {
  const escaped = encodeURI(location);
  const answer = failure(site, 301, escaped);
  return { ...answer, fields: [...answer.fields, `Location: ${escaped}`] };
}
