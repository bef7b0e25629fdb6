import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { issueCertificate, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";

/** A call that a webhook got. */
export interface WebhookCall {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The `request` of the review. */
  readonly request: JsonObject;
}

/** In place of a call that was not made. */
export const NO_CALL: WebhookCall = { path: "", headers: {}, body: "", request: {} };

/** Answers a call: with an object as JSON, or by itself. */
export type AnswerCall = (call: WebhookCall, response: ServerResponse) => unknown;

export interface WebhookServer extends AsyncDisposable {
  /** "https://127.0.0.1:port". */
  readonly url: string;
  readonly port: number;
  /** PEM in base64, as a clientConfig has it. */
  readonly caBundle: string;
  readonly calls: WebhookCall[];
  /** Connections that were made. */
  readonly connections: number;
  /** Those of them that are open. */
  readonly openConnections: number;
  /** Answers calls of paths that begin with it ("/deny") from now on. Answers the clientConfig that reaches it. */
  on(path: string, answer: AnswerCall): { readonly url: string; readonly caBundle: string };
}

export interface WebhookServerOptions {
  readonly names?: readonly string[];
  readonly notAfter?: number;
}

const DAY = 24 * 60 * 60 * 1000;

/** A server of webhooks on the loopback address, with a certificate of an authority of its own. */
export async function startWebhookServer({
  names = ["127.0.0.1", "localhost"],
  notAfter = Date.now() + DAY,
}: WebhookServerOptions = {}): Promise<WebhookServer> {
  const { authority, leaf } = certificates(names, notAfter);
  const answers = new Map<string, AnswerCall>();
  const calls: WebhookCall[] = [];
  let connections = 0;
  const server: Server = createServer({ key: leaf.key, cert: leaf.certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const call = callOf(request, Buffer.concat(chunks).toString("utf8"));
      calls.push(call);
      const [, answer] = [...answers].find(([path]) => call.path.startsWith(path)) ?? [];
      const given = answer?.(call, response);
      if (answer === undefined) response.writeHead(404).end();
      else if (given !== undefined) {
        response.setHeader("content-type", "application/json");
        response.end(typeof given === "string" ? given : JSON.stringify(given));
      }
    });
  });
  let openConnections = 0;
  server.on("secureConnection", (socket: Socket) => {
    connections++;
    openConnections++;
    socket.on("close", () => openConnections--);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  return {
    url,
    port,
    caBundle,
    calls,
    get connections() {
      return connections;
    },
    get openConnections() {
      return openConnections;
    },
    on(path, answer) {
      answers.set(path, answer);
      return { url: url + path, caBundle };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function callOf({ url: path = "", headers }: IncomingMessage, body: string): WebhookCall {
  let request: JsonObject = {};
  try {
    request = (JSON.parse(body) as { request: JsonObject }).request;
  } catch {
    // What is no review has no request.
  }
  return { path, headers, body, request };
}

/** The certificates of an authority and of a server. */
export function certificates(
  names: readonly string[],
  notAfter = Date.now() + DAY,
): { readonly authority: KeyPair; readonly leaf: KeyPair } {
  const notBefore = Date.now() - 2 * DAY;
  const authority = issueCertificate({
    commonName: "webhook-ca",
    notBefore,
    notAfter: Date.now() + DAY,
    serial: Uint8Array.of(1),
    usage: "ca",
  });
  const leaf = issueCertificate(
    { commonName: "webhook", notBefore, notAfter, serial: Uint8Array.of(2), usage: "server", names },
    issuerOf(authority, "webhook-ca"),
  );
  return { authority, leaf };
}

/** The review that allows a call. */
export const allow = ({ body, request }: WebhookCall, more: object = {}): object =>
  reviewOf(body, request, { allowed: true, ...more });

/** The review that denies a call. */
export const deny = ({ body, request }: WebhookCall, status?: object): object =>
  reviewOf(body, request, { allowed: false, ...(status && { status }) });

/** The review that patches the object of a call. */
export const patch = (call: WebhookCall, operations: unknown, more: object = {}): object =>
  allow(call, { patchType: "JSONPatch", patch: base64(operations), ...more });

export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");

function reviewOf(body: string, { uid }: JsonObject, response: object): object {
  const { kind, apiVersion } = JSON.parse(body) as { kind: string; apiVersion: string };
  return { kind, apiVersion, response: { uid, ...response } };
}
