import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { kubeletCertificate } from "./kubelet-certificate.js";

/** The agent of a node that runs every container it is asked about. */
export interface FakeKubelet {
  readonly port: number;
  /** Ends the logs of containers named "held". */
  release(): void;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Logs say what they were asked for, then two lines of their own. Containers named "waiting",
 * "gone" and "broken" have none: 400, 404 and 500. The log of one named "held" goes on until it is released.
 * `logs` are what containers of these names have logged.
 */
export async function startFakeKubelet(logs: Readonly<Record<string, Buffer>> = {}): Promise<FakeKubelet> {
  const { certificate, key } = kubeletCertificate();
  const held = new Set<ServerResponse>();
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const [, kind, , pod, container] = path.split("/");
    const refused = kind === "containerLogs" ? REFUSED[container ?? ""] : 404;
    if (refused !== undefined) {
      response.writeHead(refused).end(`container ${container} of pod ${pod} has no log`);
      return;
    }
    response.writeHead(200, { "content-type": "text/plain" });
    const log = logs[container ?? ""];
    if (log !== undefined) {
      response.end(log);
      return;
    }
    if (container === "held") {
      held.add(response);
      response.write("held\n");
      return;
    }
    response.write(`${pod}/${container} asked for <${query}>\nsecond line\nthe la`);
    // Only one container does not end its last line: several would run into each other, in no order.
    setTimeout(() => response.end(container === "web" ? "st line" : "st line\n"), 50);
  });
  await listen(server);
  return {
    port: (server.address() as AddressInfo).port,
    release() {
      for (const response of held) response.end();
      held.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const REFUSED: Readonly<Record<string, number>> = { waiting: 400, gone: 404, broken: 500 };

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
