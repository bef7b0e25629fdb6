import { createHash } from "node:crypto";
import type { ApiRequest } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import { keepBody, type KeptBody, respondKept } from "../representation/body-writer.js";
import type { ServedApi } from "../../../api/facts/index.js";

/** A document that does not change: made on first use, and identified by its hash. */
export interface CachedDocument {
  readonly contentType: string;
  bytes(): Uint8Array;
}

interface Made {
  readonly etag: string;
  readonly body: Promise<KeptBody>;
}

const made = new WeakMap<CachedDocument, Made>();

/** Sends the document, or 304 to a client that has it already. */
export async function respondDocument(
  request: ApiRequest,
  document: CachedDocument,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { body, etag } = built(document);
  const common = { etag: `"${etag}"`, vary: "Accept", "cache-control": "public", ...headers };
  const known = (request.exchange.headers["if-none-match"] ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known.includes(`"${etag}"`)) {
    await respondBytes(request, 304, common, new Uint8Array());
    return;
  }
  await respondKept(request, 200, { ...common, "content-type": document.contentType }, await body);
}

const YEAR_SECONDS = 31_536_000;

/**
 * Sends a document of /openapi/v3/<path>. With the current hash in the query a client may cache the answer for ever; another hash is
 * redirected to the current one.
 */
export async function respondHashed(
  request: ApiRequest,
  path: string,
  current: { readonly hash: string; readonly document: CachedDocument },
): Promise<void> {
  const asked = request.exchange.query.get("hash") ?? "";
  if (asked === "") return respondDocument(request, current.document);
  const { hash } = current;
  if (asked !== hash) {
    return respondBytes(request, 301, { location: `/openapi/v3/${path}?hash=${hash}` }, new Uint8Array());
  }
  return respondDocument(request, current.document, {
    "cache-control": "public, immutable",
    expires: new Date(request.received + YEAR_SECONDS * 1000).toUTCString(),
  });
}

function built(document: CachedDocument): Made {
  let known = made.get(document);
  if (known === undefined) {
    const bytes = document.bytes();
    const etag = createHash("sha512").update(bytes).digest("hex").toUpperCase();
    known = { etag, body: keepBody(bytes) };
    made.set(document, known);
  }
  return known;
}

/**
 * Caches the documents of the newest API from which a client has read any. A request with an older API gets a document that is not
 * cached, so that a watch of hours does not keep old documents in memory.
 */
export class LatestDocuments {
  #api: ServedApi | undefined;
  readonly #documents = new Map<string, { readonly variant: string; readonly document: CachedDocument }>();

  /** A document of another `variant` takes the place of the one that is kept: one that has parts which change while the API does not. */
  get(api: ServedApi, name: string, make: () => CachedDocument, variant = ""): CachedDocument {
    if (this.#api !== undefined && api.epoch < this.#api.epoch) return make();
    if (this.#api !== api) this.#documents.clear();
    this.#api = api;
    const known = this.#documents.get(name);
    if (known?.variant === variant) return known.document;
    const document = make();
    this.#documents.set(name, { variant, document });
    return document;
  }
}
