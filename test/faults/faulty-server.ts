import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Peer } from "./side-by-side.js";

/** One answer to a request that is no discovery. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FaultyOptions {
  /** With these it speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** PEM, of what signed its certificate. Default: a kubeconfig that trusts nobody in particular. */
  readonly authority?: string;
  /** In place of "https://127.0.0.1:<port>" or "http:". */
  readonly url?: (port: number) => string;
  /** Answers requests for another protocol, each on its own connection. Default: they are requests like others. */
  readonly upgrade?: (request: IncomingMessage, socket: Socket) => void;
  /** Discovery goes to `answers` too. */
  readonly alsoDiscovery?: boolean;
}

/**
 * A server of config maps, pods and deployments. What is asked of them is answered by the first of `answers`, then by the
 * second, and by the last of them for ever.
 */
export async function startFaultyServer(answers: readonly Answer[], options: FaultyOptions = {}): Promise<Peer> {
  const requests: string[] = [];
  let asked = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`);
    const known = options.alsoDiscovery === true ? undefined : discoveryAnswer(request.url ?? "");
    request.resume().once("end", () => {
      if (known !== undefined) return sendJson(response, 200, known);
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? status(404, "NotFound");
      answer(request, response);
    });
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  const { upgrade } = options;
  const upgraded = new Set<Socket>();
  if (upgrade !== undefined) {
    server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
      requests.push(`${request.method} ${request.url} ${request.headers.upgrade}`);
      upgraded.add(socket.on("error", () => {}));
      upgrade(request, socket.resume());
    });
  }
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = options.url?.(port) ?? `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  return {
    kubeconfig: kubeconfigFor(url, options.authority),
    address: `127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A failure as an API server writes it. */
export function status(code: number, reason: string, message = `${reason} was meant`, details?: object): Answer {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code };
  return (_request, response) => sendJson(response, code, body);
}

export const json =
  (body: object): Answer =>
  (_request, response) =>
    sendJson(response, 200, body);

export const text =
  (code: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(code, { "content-type": "text/plain", ...headers }).end(body);

/** The first bytes of an answer, then the connection ends. */
export const cutAfter =
  (sent: string, headers: Readonly<Record<string, string>>): Answer =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.write(sent, () => response.socket?.end());
  };

/** As many bytes, then nothing more. */
export const stallAfter =
  (sent: string, headers: Readonly<Record<string, string>>): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json", ...headers }).write(sent);

export const hangUp: Answer = (_request, response) => void response.socket?.destroy();
export const reset: Answer = (_request, response) => void response.socket?.resetAndDestroy();
export const silence: Answer = () => undefined;

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "default", uid: name, resourceVersion: "1", creationTimestamp: "2020-01-01T00:00:00Z" },
  data,
});

function sendJson(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function kubeconfigFor(server: string, authority: string | undefined): string {
  const trust =
    authority === undefined ? {} : { "certificate-authority-data": Buffer.from(authority).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "faulty", cluster: { server, ...trust } }],
    users: [{ name: "somebody", user: {} }],
    contexts: [{ name: "faulty", context: { cluster: "faulty", user: "somebody" } }],
    "current-context": "faulty",
  });
}

const VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"];

const resource = (name: string, kind: string, shortNames: readonly string[] = []) => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced: true,
  kind,
  shortNames,
  verbs: VERBS,
});

const DISCOVERY: Readonly<Record<string, object>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [
      {
        name: "apps",
        versions: [{ groupVersion: "apps/v1", version: "v1" }],
        preferredVersion: { groupVersion: "apps/v1", version: "v1" },
      },
    ],
  },
  "/api/v1": {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "v1",
    resources: [
      resource("configmaps", "ConfigMap", ["cm"]),
      resource("pods", "Pod", ["po"]),
      { ...resource("pods/log", "Pod"), verbs: ["get"] },
    ],
  },
  "/apis/apps/v1": {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "apps/v1",
    resources: [resource("deployments", "Deployment", ["deploy"])],
  },
  "/version": { major: "1", minor: "36", gitVersion: "v1.36.3" },
};

const discoveryAnswer = (url: string): object | undefined => DISCOVERY[url.split("?")[0] ?? ""];
