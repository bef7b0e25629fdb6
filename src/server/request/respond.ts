import { encodeJson } from "../../machinery/codec/json-encoder.js";
import type { Status } from "../../machinery/errors/status-error.js";
import type { ApiRequest } from "./api-request.js";
import type { ResponseWriter } from "./exchange.js";
import { prefersPretty } from "./prefers-pretty.js";

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Sends the head: what every answer carries, the collected warnings, and `headers`. */
export function respondHead(request: ApiRequest, status: number, headers: Headers): ResponseWriter {
  const head: Record<string, string | readonly string[]> = {
    "cache-control": "no-cache, private",
    "audit-id": request.auditId,
    ...headers,
  };
  const warnings = request.warnings.headerValues();
  if (warnings.length > 0) head["warning"] = warnings;
  return request.exchange.respond(status, head);
}

/** A whole answer. To a HEAD only its head is sent. */
export function respondBytes(request: ApiRequest, status: number, headers: Headers, body: Uint8Array): Promise<void> {
  const writer = respondHead(request, status, { ...headers, "content-length": String(body.length) });
  return writer.end(request.exchange.method === "HEAD" ? undefined : body);
}

export async function respondText(request: ApiRequest, status: number, text: string): Promise<void> {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  await respondBytes(request, status, headers, Buffer.from(text, "utf8"));
}

/** metav1.Status as JSON: a line as Go's encoder ends it, or indented for people. */
export async function respondStatus(request: ApiRequest, status: Status): Promise<void> {
  const retryAfter = status.details?.retryAfterSeconds;
  const text = prefersPretty(request.exchange) ? encodeJson(status, { indent: 2 }) : `${encodeJson(status)}\n`;
  await respondBytes(
    request,
    status.code,
    {
      "content-type": "application/json",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
    Buffer.from(text, "utf8"),
  );
}
