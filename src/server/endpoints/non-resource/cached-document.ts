import { createHash } from "node:crypto";
import type { ApiRequest } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import { respondBody } from "../representation/body-writer.js";

/** A document that never changes while the server runs: made at first use, named by its hash. */
export interface CachedDocument {
  readonly contentType: string;
  bytes(): Uint8Array;
}

const made = new WeakMap<CachedDocument, { readonly bytes: Uint8Array; readonly etag: string }>();

/** Answers it, or 304 to a client that has it already. */
export async function respondDocument(
  request: ApiRequest,
  document: CachedDocument,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { bytes, etag } = built(document);
  const common = { etag: `"${etag}"`, vary: "Accept", "cache-control": "public", ...headers };
  const known = (request.exchange.headers["if-none-match"] ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known.includes(`"${etag}"`)) {
    await respondBytes(request, 304, common, new Uint8Array());
    return;
  }
  await respondBody(request, 200, { ...common, "content-type": document.contentType }, bytes);
}

function built(document: CachedDocument): { readonly bytes: Uint8Array; readonly etag: string } {
  let known = made.get(document);
  if (known === undefined) {
    const bytes = document.bytes();
    known = { bytes, etag: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
    made.set(document, known);
  }
  return known;
}
