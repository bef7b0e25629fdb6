import type { IncomingMessage } from "node:http";
import { badRequest, unclassified } from "../../machinery/errors/status-error.js";
import type { ApiRequest } from "../request/api-request.js";
import { askUpgrade, join } from "./upgraded-connections.js";
import { answerHeaders, upgradeHeaders } from "./forwarded-headers.js";
import type { ProxyTarget } from "./proxy-target.js";

/**
 * Passes a request for another protocol on to the target. Once that agrees, the two connections are one; its refusal is the client's
 * answer. Source: apimachinery's UpgradeAwareHandler. Throws 400 for a request that asks for no other protocol.
 */
export async function proxyUpgrade({ exchange }: ApiRequest, target: ProxyTarget): Promise<void> {
  const { upgrade, method, signal } = exchange;
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  const answer = await askUpgrade(target, { method, headers: upgradeHeaders(exchange), signal });
  if ("refusal" in answer) return passRefusal(answer.refusal, exchange);
  const { "content-length": _, ...headers } = answer.headers;
  const client = upgrade.accept(headers as Record<string, string | string[]>);
  await join(client, answer.socket, signal);
}

/** Passes an answer that is an error on; any other answer is an error of the target. */
export async function passRefusal(answer: IncomingMessage, exchange: ApiRequest["exchange"]): Promise<void> {
  const { statusCode = 0 } = answer;
  if (statusCode < 400) {
    answer.destroy();
    throw unclassified(`invalid upgrade response: status code ${statusCode}`);
  }
  const writer = exchange.respond(statusCode, answerHeaders(answer.headers));
  for await (const chunk of answer) await writer.write(chunk as Uint8Array);
  await writer.end();
}
