import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A server that has files for answers: for what the cluster's own server has not, as the numbers of running programs. */
export interface ServedDocuments {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. `GET /a/b?c=d` is answered with the file `a/b?c=d.json` of `folder`, else with `a/b.json`, else with 404;
 * `onRequest` is told "GET /a/b?c=d".
 */
export async function serveDocumentsOf(folder: string, onRequest: (request: string) => void): Promise<ServedDocuments> {
  const server = createServer(({ method = "", url = "" }, response) => {
    onRequest(`${method} ${url}`);
    void documentAt(folder, url).then((text) => {
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
