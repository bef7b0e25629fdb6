import type { ClientRequest, IncomingMessage } from "node:http";
import type { Exchange } from "../request/exchange.js";

/** A client's request on its way to another server, and the head of the answer. */
export interface Sent {
  readonly outgoing: ClientRequest;
  readonly answer: IncomingMessage;
}

/**
 * Passes a client's request on with its body, as that comes. `begin` makes the request, with these headers and those that its body needs. Resolves
 * with the head of the answer, which may come before the whole body has gone out; rejects with the error of the request.
 */
export async function sendOn(
  exchange: Exchange,
  headers: Readonly<Record<string, string | string[]>>,
  begin: (headers: Record<string, string | string[]>) => ClientRequest,
): Promise<Sent> {
  const body = exchange.bodyChunks()[Symbol.asyncIterator]();
  // Whether there is a body is known when it begins; node:http wants to know before the head.
  const first = await body.next();
  const isChunked = first.done !== true && headers["content-length"] === undefined;
  return new Promise((resolve, reject) => {
    const outgoing = begin({ ...headers, ...(isChunked && { "transfer-encoding": "chunked" }) });
    outgoing.on("response", (answer) => resolve({ outgoing, answer }));
    outgoing.on("error", reject);
    void sendBody(first, body, outgoing).catch((error: Error) => outgoing.destroy(error));
  });
}

/**
 * Sends the body for as long as the target takes it. The rest is read and dropped: the client's connection carries its next request
 * behind it.
 */
async function sendBody(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  outgoing: ClientRequest,
): Promise<void> {
  for (let next = first; next.done !== true; next = await rest.next()) {
    if (!outgoing.destroyed && !outgoing.write(next.value)) await drained(outgoing);
  }
  if (!outgoing.destroyed) outgoing.end();
}

/** Resolves when more may be written, and when the request is over. */
function drained(outgoing: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("drain", settle).off("close", settle);
      resolve();
    };
    outgoing.on("drain", settle).on("close", settle);
  });
}
