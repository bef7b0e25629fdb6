import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A server that has files for answers: for what the cluster's own server has not, as the numbers of running programs. */
export interface ServedDocuments {
  readonly port: number;
  close(): Promise<void>;
}

export interface DocumentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Listens on 127.0.0.1. Any method of `/a/b?c=d` is answered with the file `a/b?c=d.json` of `folder`, else with `a/b.json`, else
 * with 404. The server calls `onRequest` when it has read a request's body, and keeps nothing that a request sends.
 */
export async function serveDocumentsOf(
  folder: string,
  onRequest: (request: DocumentRequest) => void,
): Promise<ServedDocuments> {
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    void bodyOf(request)
      .then((body) => {
        onRequest({ method, path: url, headers: firstValues(request.headers), body });
        return documentAt(folder, url);
      })
      .then((text) => {
        if (text === undefined) response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n");
        else response.writeHead(200, { "content-type": "application/json" }).end(text);
      });
  });
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

const firstValues = (headers: IncomingHttpHeaders): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

async function documentAt(folder: string, url: string): Promise<string | undefined> {
  for (const path of [url, url.split("?", 1)[0] ?? ""]) {
    const text = await readFile(join(folder, `${path}.json`), "utf8").catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
