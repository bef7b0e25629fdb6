import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import { pathOf, type RemoteApi } from "../builtin/apiregistration/remote-apis.js";
import { AGGREGATOR } from "./remote-discovery.js";
import type { RemoteServer } from "./remote-server.js";

/** A server's OpenAPI documents are not read beyond this many bytes. */
const LARGEST = 32 * 2 ** 20;
/** How long a document of OpenAPI 2 counts, in milliseconds. */
const FRESH = 60_000;
/** How long a server may take to send one, in milliseconds. */
const LONGEST = 5000;

type IndexEntry = { readonly serverRelativeURL: string };

/**
 * Reads the entry of a group version in its server's index of OpenAPI 3; undefined where there is none. Rejects with the reason
 * why it cannot be read.
 */
export async function indexEntryOf(
  api: RemoteApi,
  server: RemoteServer,
  signal: AbortSignal,
): Promise<IndexEntry | undefined> {
  const headers = { ...AGGREGATOR, accept: "application/json" };
  const answer = await server.read({ path: "/openapi/v3", headers, signal }, LARGEST);
  if (answer.status !== 200) return undefined;
  const paths = fieldOf(parsed(answer.body), "paths");
  const entry = fieldOf(paths, pathOf(api).slice(1));
  const url = entry?.["serverRelativeURL"];
  return typeof url === "string" && url.startsWith("/openapi/v3/") ? { serverRelativeURL: url } : undefined;
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
