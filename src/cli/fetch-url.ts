import { STATUS_CODES } from "node:http";
import type { ClientConfig } from "../client/config/client-config.js";
import { createTransport } from "../client/transport/create-transport.js";

export interface FetchedUrl {
  readonly status: number;
  readonly statusText: string;
  bytes(): Promise<Uint8Array>;
}

const MAX_REDIRECTS = 10;

/** Gets a page without credentials, following redirects. Throws a TransportError in Go's words when nobody answers. */
export async function fetchUrl(url: string): Promise<FetchedUrl> {
  let target = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const answer = await get(target);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status > 399 || typeof location !== "string") return answer;
    if (redirects === MAX_REDIRECTS) throw new Error(`Get "${url}": stopped after ${MAX_REDIRECTS} redirects`);
    await answer.bytes();
    target = new URL(location, target);
  }
}

async function get(url: URL): Promise<FetchedUrl & { readonly headers: Readonly<Record<string, unknown>> }> {
  const transport = createTransport(anonymous(url));
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
