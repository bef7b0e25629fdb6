import { dictionary } from "../../base/collections/dictionary.js";
import { type ServerResponse, STATUS_CODES } from "node:http";

/** Answers with a line of text, as Go's http.Error does. */
export function answerError(response: ServerResponse, status: number, text = STATUS_CODES[status] ?? ""): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Answers a malformed request with the 400 of Go's server, and closes the connection. */
export function answerMalformed(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
  response.write("400 Bad Request");
  response.end();
}

export function answerNotFound(response: ServerResponse): void {
  answerError(response, 404, "404 page not found");
}

/** Elsewhere. Who reads pages gets a link, too, as from Go's http.Redirect. */
export function answerRedirect(response: ServerResponse, method: string, location: string): void {
  const body = method === "GET" ? `<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n` : "";
  response.writeHead(307, {
    ...(/^(GET|HEAD)$/.test(method) && { "Content-Type": "text/html; charset=utf-8" }),
    Location: location,
    ...(method !== "HEAD" && { "Content-Length": Buffer.byteLength(body) }),
  });
  response.end(body);
}

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
});

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
