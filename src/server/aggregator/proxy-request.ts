import type { ClientRequest, IncomingMessage } from "node:http";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { errorCode } from "../../base/files/path-error.js";
import { errorMessage } from "../../base/text/error-message.js";
import { headerValue } from "../../base/text/header-text.js";
import { answerHeaders, requestHeaders, upgradeHeaders } from "../kubelet/forwarded-headers.js";
import { type Sent, sendOn } from "../kubelet/sent-request.js";
import { join } from "../kubelet/upgraded-connections.js";
import type { ApiRequest } from "../request/api-request.js";
import { respondText } from "../request/respond.js";
import type { User } from "../request/user.js";
import type { RemoteServer } from "./remote-server.js";

type Headers = Record<string, string | string[]>;

/** Names the aggregators that a request has passed, so that one that comes back to where it was is ended. */
const PASSED = "x-kubets-aggregators";

/** How requests are passed on. */
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
  const own = { [PASSED]: passed === "" ? rules.id : `${passed}, ${rules.id}` };
  if (request.exchange.upgrade !== undefined) return proxyUpgrade(request, server, own, rules);
  const { exchange, signal } = request;
  const headers = { ...userHeaders(requestHeaders(exchange), request.user), ...forwarded(request), ...own };
  let sent: Sent;
  try {
    sent = await send(request, server, headers);
  } catch (error) {
    signal.throwIfAborted();
    return respondText(request, 503, `error trying to reach service: ${reasonOf(error)}\n`);
  }
  try {
    await passAnswer(request, sent.answer, rules);
  } finally {
    // A server that has answered needs no more of the request's body. A connection whose answer was read to its end is kept.
    if (!sent.answer.complete || !sent.outgoing.writableFinished) sent.outgoing.destroy();
  }
}

/** Methods without effects: a request is sent again whose kept connection the server has closed meanwhile. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

async function send({ exchange, signal }: ApiRequest, server: RemoteServer, headers: Headers): Promise<Sent> {
  const { method, uri: path } = exchange;
  for (;;) {
    let last: ClientRequest | undefined;
    try {
      return await sendOn(exchange, headers, (all) => (last = server.begin({ method, path, headers: all, signal })));
    } catch (error) {
      // Each try takes one of the kept connections away; a new one is the last.
      if (!REPEATABLE.has(method) || last?.reusedSocket !== true || errorCode(error) !== "ECONNRESET") throw error;
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? goNetworkReason(error) : errorMessage(error));

async function passAnswer(request: ApiRequest, answer: IncomingMessage, rules: ProxyRules): Promise<void> {
  const { exchange } = request;
  const { statusCode: status = 502 } = answer;
  if (rules.rejectsRedirects && status >= 300 && status <= 399 && answer.headers.location !== undefined) {
    answer.destroy();
    return respondText(request, 502, "the backend attempted to redirect this request, which is not permitted");
  }
  const headers = trusted(answerHeaders(answer.headers));
  const warnings = [answer.headersDistinct["warning"] ?? [], request.warnings.headerValues()].flat();
  if (warnings.length > 0) headers["warning"] = warnings;
  headers["audit-id"] ??= headerValue(request.auditId);
  const writer = exchange.respond(status, headers);
  if (exchange.method === "HEAD") answer.resume();
  else for await (const chunk of answer as AsyncIterable<Uint8Array>) await writer.write(chunk);
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
    if (answer !== "switched") await passAnswer(request, answer, rules);
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
