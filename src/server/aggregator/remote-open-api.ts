import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import { pathOf, type RemoteApi } from "../builtin/apiregistration/remote-apis.js";
import type { CachedDocument } from "../endpoints/non-resource/cached-document.js";
import { convertToV3 } from "./open-api-conversion.js";
import { AGGREGATOR } from "./remote-discovery.js";
import type { RemoteServer } from "./remote-server.js";

/** A server's OpenAPI documents are not read beyond this many bytes. */
const LARGEST = 32 * 2 ** 20;
/** How long a document of OpenAPI 2 counts, in milliseconds. */
const FRESH = 60_000;
/** How long a server may take to send one, in milliseconds. */
const LONGEST = 5000;

/** What a server has of OpenAPI 3 for a group version. */
export interface RemoteV3 {
  /** Its entry in the index of /openapi/v3. */
  readonly entry: { readonly serverRelativeURL: string };
  /** The document, where the server has only OpenAPI 2; undefined where the server itself is asked. */
  readonly converted?: { readonly hash: string; readonly document: CachedDocument };
}

/**
 * Reads what a server has of OpenAPI 3 for its group version; undefined where there is nothing. A server that answers 404 is older than
 * OpenAPI 3: its document of OpenAPI 2 is converted. Rejects with the reason why it cannot be read. Source: kube-aggregator.
 */
export async function remoteV3Of(
  api: RemoteApi,
  { server, v2 }: { readonly server: RemoteServer; readonly v2: RemoteV2Document },
  signal: AbortSignal,
): Promise<RemoteV3 | undefined> {
  const headers = { ...AGGREGATOR, accept: "application/json" };
  const answer = await server.read({ path: "/openapi/v3", headers, signal }, LARGEST);
  if (answer.status === 404) return convertedOf(api, await v2.document());
  if (answer.status !== 200) return undefined;
  const paths = fieldOf(parsed(answer.body), "paths");
  const entry = fieldOf(paths, pathOf(api).slice(1));
  const url = entry?.["serverRelativeURL"];
  return typeof url === "string" && url.startsWith("/openapi/v3/") ? { entry: { serverRelativeURL: url } } : undefined;
}

function convertedOf(api: RemoteApi, v2: JsonObject | undefined): RemoteV3 | undefined {
  if (v2 === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(convertToV3(v2)));
  const hash = createHash("sha512").update(bytes).digest("hex").toUpperCase();
  return {
    entry: { serverRelativeURL: `/openapi/v3${pathOf(api)}?hash=${hash}` },
    converted: { hash, document: { contentType: "application/json", bytes: () => bytes } },
  };
}

const fieldOf = (value: JsonObject | undefined, name: string): JsonObject | undefined => {
  const field: JsonValue | undefined = value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(field) ? field : undefined;
};

function parsed(body: Uint8Array): JsonObject | undefined {
  const value = JSON.parse(Buffer.from(body).toString("utf8")) as JsonValue;
  return isJsonObject(value) ? value : undefined;
}

/** The OpenAPI 2 document of one server, cached for as long as it is fresh. */
export class RemoteV2Document {
  #read:
    | { readonly at: number; readonly etag: string | undefined; readonly document: JsonObject | undefined }
    | undefined;
  #reading: Promise<JsonObject | undefined> | undefined;

  constructor(
    private readonly server: RemoteServer,
    private readonly now: () => number,
  ) {}

  /** Undefined where the server has none that can be read. */
  document(): Promise<JsonObject | undefined> {
    if (this.#read !== undefined && this.now() - this.#read.at < FRESH) return Promise.resolve(this.#read.document);
    this.#reading ??= this.#download().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #download(): Promise<JsonObject | undefined> {
    const at = this.now();
    const last = this.#read;
    const etag = last?.document === undefined ? undefined : last.etag;
    const signal = AbortSignal.timeout(LONGEST);
    const headers = { ...AGGREGATOR, accept: "application/json", ...(etag !== undefined && { "if-none-match": etag }) };
    try {
      const answer = await this.server.read({ path: "/openapi/v2", headers, signal }, LARGEST);
      const document = answer.status === 304 ? last?.document : answer.status === 200 ? parsed(answer.body) : undefined;
      this.#read = { at, etag: answer.etag ?? etag, document };
    } catch {
      // What was read last is still what the server had.
      this.#read = { at, etag, document: last?.document };
    }
    return this.#read.document;
  }
}
