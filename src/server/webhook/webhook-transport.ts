import { errorMessage } from "../../base/text/error-message.js";
import type { Transport } from "../../client/transport/transport.js";
import { TransportError } from "../../client/transport/transport-error.js";

/**
 * What an answer may have, in bytes, beside twice the request: as much as a request to the server may have. Some webhooks send
 * the request back, and conversions answer as many objects as they were asked for.
 */
const BEYOND_THE_REQUEST = 3 * 1024 * 1024;

/**
 * A transport whose answers end in an error beyond a limit: the rest of such an answer is not read. A call that is aborted fails
 * with its signal's reason, as one of Go fails with the error of its context.
 */
export function webhookTransport(transport: Transport, origin: string): Transport {
  return {
    async send(request) {
      const { method, path, body, signal } = request;
      try {
        const answer = await transport.send(request);
        const limit = BEYOND_THE_REQUEST + 2 * (body?.byteLength ?? 0);
        return { ...answer, body: upTo(limit, answer.body, signal) };
      } catch (error) {
        throw signal?.aborted === true ? ended(signal, { method, url: origin + path }) : error;
      }
    },
    close: () => transport.close(),
  };
}

async function* upTo(
  limit: number,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const chunk of body) {
      read += chunk.byteLength;
      if (read > limit) throw new TransportError(`the answer is longer than ${limit} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw signal?.aborted === true ? ended(signal, {}) : error;
  }
}

function ended(signal: AbortSignal, call: { readonly method?: string; readonly url?: string }): TransportError {
  const reason: unknown = signal.reason;
  return new TransportError(errorMessage(reason), call);
}
