import type { IncomingMessage, ServerResponse } from "node:http";

const PROBLEM = "missing required Host header";

/**
 * Rejects an HTTP/1.1 request without a Host header: answers 400 in the words of Go's net/http and closes the connection.
 * Returns true when it did. An empty Host is valid, and HTTP/1.0 needs none.
 */
export function refuseWithoutHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.httpVersion !== "1.1" || request.headers.host !== undefined) return false;
  const text = `400 Bad Request: ${PROBLEM}`;
  response.writeHead(400, `Bad Request: ${PROBLEM}`, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": text.length,
    connection: "close",
  });
  response.end(text);
  return true;
}
