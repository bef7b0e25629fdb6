import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { errorMessage } from "../../../base/text/error-message.js";
import { aborted } from "../../../base/async/until-aborted.js";
import { pause } from "../../../base/time/pause.js";
import type { PemPair } from "../../../machinery/crypto/key-pair.js";
import { JsonDecodeError } from "../../../machinery/wire/json/exact-json.js";
import { decodeJson, maxBodyDepth } from "../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { MetricRegistry } from "../../../machinery/metrics/metric-registry.js";
import type { KubernetesClient } from "../../dynamic/kubernetes-client.js";
import type { Surroundings } from "../../surroundings.js";
import { answerReview, NoReviewError } from "./answer-review.js";
import { SelfMadeCertificate } from "./self-made-certificate.js";
import { filesOf, followFiles } from "./serving-certificate.js";
import type { WebhookHandler } from "./webhook-handlers.js";
import { WebhookMetrics } from "./webhook-metrics.js";
import type { Webhooks, WebhookServerOptions } from "./webhooks.js";

export interface WebhookServerParts {
  readonly webhooks: Webhooks;
  readonly options: WebhookServerOptions;
  readonly client: KubernetesClient;
  readonly surroundings: Surroundings;
  readonly metrics: MetricRegistry | undefined;
  /** How long calls under way may take when the server ends, in milliseconds. */
  readonly grace: number;
  readonly report: (what: string, error: unknown) => void;
}

/** controller-runtime's port. */
const PORT = 9443;
/** The largest review, in bytes: two objects of the API server's limit and more. controller-runtime's. */
const MAX_BODY = 7 * 1024 * 1024;
/** How long a client may take to send a request, or to take an answer, in milliseconds: as long as the API server waits for a webhook. */
const SLOWEST = 30_000;

/**
 * Serves the webhooks until the signal aborts, and then the calls under way to their end. Resolves with what ends when that has
 * happened. Rejects with an Error for a certificate that cannot be shown and a port that cannot be opened.
 */
export async function serveWebhooks(
  parts: WebhookServerParts,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const { webhooks, options, metrics } = parts;
  const counted = metrics && new WebhookMetrics(metrics);
  for (const path of webhooks.handlers.keys()) counted?.webhook(path);
  const server = createServer(
    { minVersion: "TLSv1.2", requestTimeout: SLOWEST, headersTimeout: SLOWEST, keepAliveTimeout: 2 * SLOWEST },
    (request, response) => void respond(parts, counted, request, response),
  );
  server.timeout = 3 * SLOWEST;
  const stop = await showCertificate(server, parts, signal);
  const address = await open(server, options).catch((error: unknown) => {
    stop();
    throw error;
  });
  webhooks.served((connection: Duplex) => void server.emit("connection", connection), address);
  return { ended: end(server, parts, signal).finally(stop) };
}

async function end(server: Server, { surroundings, grace }: WebhookServerParts, signal: AbortSignal): Promise<void> {
  await aborted(signal);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const done = new AbortController();
  await Promise.race([closed, pause(surroundings.timers, grace, done.signal)]);
  done.abort();
  server.closeAllConnections();
}

/** Shows the certificate of the options and its successors. Answers what stops that. */
async function showCertificate(server: Server, parts: WebhookServerParts, signal: AbortSignal): Promise<() => void> {
  const { options, client, surroundings } = parts;
  const { certificate } = options;
  const report = (error: unknown): void => parts.report("the certificate of the webhooks", error);
  const show = ({ certificate: cert, key }: PemPair): void => server.setSecureContext({ cert, key });
  const files = filesOf(certificate);
  if (files !== undefined) return followFiles(files, { timers: surroundings.timers, show, report });
  if (certificate !== undefined && "selfMade" in certificate) {
    const converts = [...parts.webhooks.handlers.values()].some(({ type }) => type === "conversion");
    const made = new SelfMadeCertificate({ ...certificate.selfMade, client, surroundings, show, report, converts });
    await made.look();
    void made.follow(signal);
  } else if (certificate !== undefined && "certificate" in certificate) show(certificate);
  return () => {};
}

async function open(server: Server, { port = PORT, host }: WebhookServerOptions) {
  if (port === false) return undefined;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, port: opened } = server.address() as AddressInfo;
  return { host: address, port: opened };
}

async function respond(
  parts: WebhookServerParts,
  metrics: WebhookMetrics | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const handler = parts.webhooks.handlers.get(path);
  if (handler === undefined) return answer(response, 404, `no webhook has the path ${path}\n`);
  const stopwatch = parts.surroundings.stopwatch();
  const began = metrics?.began(path);
  const [code, body] = await answerTo(handler, request, response, (error) =>
    parts.report(`the webhook ${path}`, error),
  );
  began?.(code, stopwatch() / 1000);
  answer(response, code, body);
}

async function answerTo(
  handler: WebhookHandler,
  request: IncomingMessage,
  response: ServerResponse,
  failed: (error: unknown) => void,
): Promise<readonly [number, string]> {
  if (request.method !== "POST") return [405, "a webhook is called by POST\n"];
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim();
  if (type !== "application/json")
    return [415, `the content type is application/json, not ${type === "" ? "left out" : type}\n`];
  const body = await bodyOf(request);
  if (body === undefined) return [413, `the body is longer than ${MAX_BODY} bytes\n`];
  const call = new AbortController();
  response.once("close", () => call.abort());
  try {
    const review = decodeJson(body, { maxDepth: maxBodyDepth }).value;
    return [200, encodeJson(await answerReview(handler, review, { signal: call.signal, failed }))];
  } catch (error) {
    if (!(error instanceof NoReviewError) && !(error instanceof JsonDecodeError)) failed(error);
    return [400, `${errorMessage(error)}\n`];
  }
}

/** Reads a body; undefined for one that is too long, whose rest is not read. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, code: number, body: string): void {
  if (response.destroyed) return;
  const type = code === 200 ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(code, { "content-type": type, ...(code === 413 && { connection: "close" }) });
  response.end(body);
}
