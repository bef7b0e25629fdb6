import { headerValue } from "../../base/text/header-text.js";
import type { ApiRequest } from "./api-request.js";
import type { ResponseWriter } from "./exchange.js";

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The header that keeps browsers from guessing another type for a response. */
export const NO_SNIFFING: Headers = { "x-content-type-options": "nosniff" };

/** Sends the head: the headers of every answer, the collected warnings, and `headers`. */
export function respondHead(request: ApiRequest, status: number, headers: Headers): ResponseWriter {
  const head: Record<string, string | readonly string[]> = {
    "cache-control": "no-cache, private",
    "audit-id": headerValue(request.auditId),
    ...NO_SNIFFING,
    ...request.added.headers,
    ...headers,
  };
  const warnings = request.warnings.headerValues();
  if (warnings.length > 0) head["warning"] = warnings;
  return request.exchange.respond(status, head);
}

/** Sends a whole answer; to a HEAD request only its head. */
export function respondBytes(request: ApiRequest, status: number, headers: Headers, body: Uint8Array): Promise<void> {
  const writer = respondHead(request, status, { ...headers, "content-length": String(body.length) });
  return writer.end(request.exchange.method === "HEAD" ? undefined : body);
}

export async function respondText(request: ApiRequest, status: number, text: string): Promise<void> {
  await respondBytes(request, status, { "content-type": "text/plain; charset=utf-8" }, Buffer.from(text, "utf8"));
}
