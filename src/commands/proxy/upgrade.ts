import { type IncomingMessage, request as httpRequest, type RequestOptions, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Endpoint } from "../../client/transport/endpoint.js";
import { NetworkFailure } from "../../client/transport/go-network-error.js";
import { DialingAgent } from "../../client/transport/node-https.js";
import type { Exchange } from "./routes.js";

/**
 * Passes on a request for another protocol (exec, attach, port-forward, a watch over WebSocket) on a connection of its own.
 * Once the server agrees both connections are one; a refusal is passed back as it is, and anything else fails.
 */
export function passUpgrade(
  { request, response, upgrade }: Exchange,
  options: RequestOptions,
  endpoint: Endpoint,
  fail: (error: unknown) => void,
): void {
  const agent = new DialingAgent(endpoint, 1);
  const outgoing = httpRequest({ ...options, agent });
  outgoing.on("error", fail);
  // What was upgraded is the agent's no more.
  outgoing.on("close", () => agent.destroy());
  outgoing.on("response", (answer) => refused(answer, response, fail));
  outgoing.on("upgrade", (answer, server, serverHead) => {
    if (upgrade === undefined) {
      server.destroy();
      return fail(new NetworkFailure("request connection cannot be hijacked"));
    }
    const { socket: client, head } = upgrade;
    client.write(headOf(answer));
    client.write(serverHead);
    server.write(head);
    join(client, server);
  });
  if (upgrade === undefined) request.pipe(outgoing);
  else outgoing.end();
}

function refused(answer: IncomingMessage, response: ServerResponse, fail: (error: unknown) => void): void {
  const { statusCode = 0, rawHeaders } = answer;
  if (statusCode < 400) {
    answer.destroy();
    return fail(new NetworkFailure(`invalid upgrade response: status code ${statusCode}`));
  }
  response.writeHead(statusCode, [...rawHeaders]);
  answer.pipe(response);
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode ?? 101} ${statusMessage ?? ""}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index] ?? ""}: ${rawHeaders[index + 1] ?? ""}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Whatever comes on one goes out on the other; when one is over, so is the other. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}
