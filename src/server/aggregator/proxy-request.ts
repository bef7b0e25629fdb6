import type { IncomingMessage } from "node:http";
import { errorMessage } from "../../base/text/error-message.js";
import { headerValue } from "../../base/text/header-text.js";
import type { TransportResponse } from "../../client/transport/transport.js";
import { answerHeaders, requestHeaders, upgradeHeaders } from "../kubelet/forwarded-headers.js";
import { sendOn } from "../kubelet/sent-request.js";
import { join } from "../kubelet/upgraded-connections.js";
import type { ApiRequest } from "../request/api-request.js";
import { sendInPart } from "../../machinery/tracing/request-span.js";
import { respondText } from "../request/respond.js";
import type { User } from "../request/user.js";
import { CallDeadline } from "../webhook/call-deadline.js";
import { reasonOf, type RemoteServer } from "./remote-server.js";

type Headers = Record<string, string | string[]>;

/** Names the aggregators that a request has passed, so that one that comes back to where it was is ended. */
const PASSED = "x-kubets-aggregators";

/** How the aggregator proxies requests. */
export interface ProxyRules {
  /** Names this aggregator, for as long as it runs. */
  readonly id: string;
  /** Whether a redirect is an error of the server. Else it is passed on to the client. */
  readonly rejectsRedirects: boolean;
}

/**
 * Passes a request on to the server of its group version and the answer back, both as they come. The server learns who asks from the headers of a
 * front proxy. Source: kube-aggregator's proxyHandler.
 */
export async function proxyRequest(request: ApiRequest, server: RemoteServer, rules: ProxyRules): Promise<void> {
  const passed = request.exchange.headers[PASSED] ?? "";
  if (passed.split(", ").includes(rules.id)) {
    return respondText(request, 508, "the service of the APIService leads back to this server\n");
  }
  // When the server behind begins to send events is not known here.
  request.onInitialized?.();
  const own = { [PASSED]: passed === "" ? rules.id : `${passed}, ${rules.id}` };
  if (request.exchange.upgrade !== undefined) return proxyUpgrade(request, server, own, rules);
  const deadline = isDiscovery(request) ? new CallDeadline(LONGEST_DISCOVERY, request.signal) : undefined;
  try {
    await proxyAnswer(request, server, { own, rules, signal: deadline?.signal ?? request.signal });
  } finally {
    deadline?.clear();
  }
}

/** How long the list of a group version's resources may take, in milliseconds; kube-aggregator's limit. */
const LONGEST_DISCOVERY = 5000;

/** Whether the request asks which resources a group version has: "/apis/<group>/<version>". */
const isDiscovery = ({ info }: ApiRequest): boolean =>
  !info.isResourceRequest && info.path.split("/").filter((segment) => segment !== "").length === 3;

interface ProxyParts {
  readonly own: Headers;
  readonly rules: ProxyRules;
  /** Ends the request to the server. */
  readonly signal: AbortSignal;
}

async function proxyAnswer(request: ApiRequest, server: RemoteServer, parts: ProxyParts): Promise<void> {
  const { own, rules, signal } = parts;
  const headers = { ...userHeaders(requestHeaders(request.exchange), request.user), ...forwarded(request), ...own };
  let head: Head;
  try {
    const { method, uri } = request.exchange;
    const answer = await sendInPart(method, `${server.origin}${uri}`, (trace) =>
      send(request, server, { ...headers, ...trace }, signal),
    );
    head = { ...answer, body: isShort(answer) ? [await wholeBody(answer)] : answer.body };
  } catch (error) {
    request.signal.throwIfAborted();
    const reason = signal.aborted ? errorMessage(signal.reason) : reasonOf(error);
    return respondText(request, 503, `error trying to reach service: ${reason}\n`);
  }
  await passAnswer(request, head, rules);
}

/** The longest body that is read before it is passed on, in bytes: it costs one packet with the head then. */
const SHORT = 64 * 1024;
/** The longest body of a request that is read before it is passed on, in bytes. */
const SHORT_REQUEST = 3 * 1024 * 1024;

/** An answer whose head has come. */
interface Head extends Omit<TransportResponse, "body"> {
  readonly body: AsyncIterable<Uint8Array> | readonly Uint8Array[];
}

/** A request without a body, or with a short one, shares connections with others; the end of the request ends it there. */
async function send(
  request: ApiRequest,
  server: RemoteServer,
  headers: Headers,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { exchange } = request;
  const { "content-length": _, host: __, ...sent } = headers;
  const lasts = request.info.verb === "watch";
  const begun = { method: exchange.method, path: exchange.uri, headers: sent, lasts, signal };
  const { bodyLength = Number.POSITIVE_INFINITY } = exchange;
  if (bodyLength === 0) return server.send(begun);
  if (bodyLength <= SHORT_REQUEST) return server.send(begun, await exchange.body(SHORT_REQUEST));
  return sendStream(request, server, headers, signal);
}

/** Sends a request whose body is long, or of a length that nobody knows yet. */
async function sendStream({ exchange }: ApiRequest, server: RemoteServer, headers: Headers, signal: AbortSignal) {
  const { method, uri: path } = exchange;
  const begin = (all: Headers) => server.begin({ method, path, headers: all, signal });
  const { outgoing, answer } = await sendOn(exchange, headers, begin);
  // A server that has answered needs no more of the request's body. A connection whose answer was read to its end is kept.
  const body = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* answer as AsyncIterable<Uint8Array>;
    } finally {
      if (!answer.complete || !outgoing.writableFinished) outgoing.destroy();
    }
  };
  return { ...headOf(answer), body: body() };
}

const headOf = (answer: IncomingMessage) => ({ status: answer.statusCode ?? 502, headers: answer.headersDistinct });

const isShort = ({ headers }: TransportResponse): boolean => Number(headers["content-length"]) <= SHORT;

async function wholeBody({ body }: TransportResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

async function passAnswer(
  request: ApiRequest,
  { status, headers: given, body }: Head,
  rules: ProxyRules,
): Promise<void> {
  const { exchange } = request;
  if (rules.rejectsRedirects && status >= 300 && status <= 399 && given["location"] !== undefined) {
    return respondText(request, 502, "the backend attempted to redirect this request, which is not permitted");
  }
  const headers = trusted(answerHeaders(given));
  const warnings = [given["warning"] ?? [], request.warnings.headerValues()].flat();
  if (warnings.length > 0) headers["warning"] = warnings;
  headers["audit-id"] ??= headerValue(request.auditId);
  const writer = exchange.respond(status, { ...request.added.headers, ...headers });
  if (Array.isArray(body)) return writer.end(exchange.method === "HEAD" ? undefined : body[0]);
  for await (const chunk of body) await writer.write(chunk);
  await writer.end();
}

/** Passes a request for another protocol on. Once the server agrees, the two connections are one; its refusal is the client's answer. */
async function proxyUpgrade(request: ApiRequest, server: RemoteServer, own: Headers, rules: ProxyRules): Promise<void> {
  const { exchange, signal, user } = request;
  const { upgrade, method, uri: path } = exchange;
  const headers = { ...userHeaders(upgradeHeaders(exchange), user), ...forwarded(request), ...own };
  const outgoing = server.beginUpgrade({ method, path, headers, signal });
  const answered = new Promise<IncomingMessage | "switched">((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", resolve);
    outgoing.on("upgrade", (answer, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      const { "content-length": _, ...answered } = answer.headers;
      const client = upgrade?.accept(trusted(answered as Headers));
      if (client === undefined) return reject(new Error("the client asked for no other protocol"));
      void join(client, socket, signal).then(() => resolve("switched"));
    });
    outgoing.end();
  });
  try {
    const answer = await answered;
    if (answer !== "switched") await passAnswer(request, { ...headOf(answer), body: answer }, rules);
  } catch (error) {
    if (exchange.responded) throw error;
    await respondText(request, 503, `error dialing backend: ${reasonOf(error)}\n`);
  } finally {
    outgoing.destroy();
  }
}

/** The headers that say where a request came in. */
function forwarded({ exchange, info, auditId }: ApiRequest): Record<string, string> {
  const host = exchange.authority ?? exchange.headers["host"];
  return {
    "x-forwarded-uri": info.path,
    ...(host !== undefined && { "x-forwarded-host": host }),
    "x-forwarded-proto": "https",
    "audit-id": headerValue(auditId),
  };
}

const isOfFrontProxy = (name: string): boolean => name.startsWith("x-remote-") || name === PASSED;

/** What the client says of users is replaced by what this server knows. Keys of the extra are percent-encoded, as client-go does it. */
function userHeaders(headers: Readonly<Record<string, string>>, { name, uid = "", groups, extra = {} }: User): Headers {
  const kept = Object.entries(headers).filter(([header]) => !isOfFrontProxy(header));
  const extras = Object.entries(extra).map(
    ([key, values]) => [`x-remote-extra-${escapedKey(key)}`, [...values]] as const,
  );
  return {
    ...Object.fromEntries(kept),
    "x-remote-user": name,
    ...(uid !== "" && { "x-remote-uid": uid }),
    "x-remote-group": [...groups],
    ...Object.fromEntries(extras),
  };
}

/** A key of a user's extra as a part of a header's name: what no name may have is percent-encoded, and so is "%". */
const escapedKey = (key: string): string =>
  [...Buffer.from(key.toLowerCase())]
    .map((byte) => (isOfToken(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`))
    .join("");

const TOKEN = new Set(Buffer.from("!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"));
const isOfToken = (byte: number): boolean => TOKEN.has(byte);

/** An answer names no users, and asks for no credentials of this server's own connection. */
function trusted<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfFrontProxy(name)));
}
