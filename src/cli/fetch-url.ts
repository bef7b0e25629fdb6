import { STATUS_CODES } from "node:http";
import { goQuote } from "../base/text/go-quote.js";
import type { ClientConfig } from "../client/config/client-config.js";
import { hostFault } from "../client/config/server-url.js";
import { createTransport } from "../client/transport/create-transport.js";
import type { ProcessHosts } from "../client/transport/dial.js";
import type { TransportSurroundings } from "../client/transport/endpoint.js";
import { TransportError } from "../client/transport/transport-error.js";

export interface FetchedUrl {
  readonly status: number;
  readonly statusText: string;
  bytes(): Promise<Uint8Array>;
}

export interface FetchSurroundings extends TransportSurroundings {
  /** What is reached in place of the machine's network. */
  readonly hosts?: ProcessHosts | undefined;
}

const MAX_REDIRECTS = 10;

/** Gets a page without credentials, following redirects. Throws a TransportError in Go's words when no server answers. */
export async function fetchUrl(url: string, surroundings: FetchSurroundings): Promise<FetchedUrl> {
  let target = readUrl(url);
  for (let redirects = 0; ; redirects++) {
    const answer = await get(target, surroundings);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || typeof location !== "string") return answer;
    if (redirects === MAX_REDIRECTS) throw new Error(`Get "${url}": stopped after ${MAX_REDIRECTS} redirects`);
    await answer.bytes();
    target = new URL(location, target);
  }
}

/** Not all that Go takes for a URL is one here: what is wrong is told in its words for the request that would fail. */
function readUrl(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  const fail = (reason: string): never => {
    throw new TransportError(reason, { method: "GET", url });
  };
  const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  if (authority === "") return fail("http: no Host in request URL");
  const [, host = "", port = ""] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? [];
  if (Number(port) > 65535) return fail(`dial tcp: address ${port}: invalid port`);
  // Without a host, this one is meant.
  if (host === "") return new URL(url.replace("//:", "//localhost:"));
  throw new Error(
    `the URL passed to filename ${goQuote(url)} is not valid: parse ${goQuote(url)}: ${hostFault(authority)}`,
  );
}

async function get(
  url: URL,
  { env, clock, hosts }: FetchSurroundings,
): Promise<FetchedUrl & { readonly headers: Readonly<Record<string, unknown>> }> {
  const transport = createTransport(anonymous(url), { env, clock, ...(hosts && { hosts }) });
  const path = `${url.pathname}${url.search}`;
  const { status, headers, body } = await transport.send({ method: "GET", path, headers: { host: url.host } });
  return {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers,
    bytes: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      await transport.close();
      return Buffer.concat(chunks);
    },
  };
}

/** No credentials: a manifest's server is not the cluster. */
function anonymous(url: URL): ClientConfig {
  return {
    server: url.origin,
    tls: { insecureSkipVerify: false },
    auth: {},
    disableCompression: false,
    timeout: 0,
    userAgent: "Go-http-client/1.1",
    namespace: "",
    namespaceEnforced: false,
    cacheDir: "",
  };
}
