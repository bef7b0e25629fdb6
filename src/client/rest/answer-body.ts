import type { TransportResponse } from "../transport/transport.js";
import { TransportError } from "../transport/transport-error.js";
import { LOST, type RequestLifetime } from "./request-lifetime.js";
import type { SharedLine } from "./shared-line.js";

export const TIMED_OUT_READING =
  "net/http: request canceled (Client.Timeout or context cancellation while reading body)";

/** Reads the whole body of an answer. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** Reads and drops a body, so that the connection can be reused. */
export async function drain({ body }: TransportResponse): Promise<void> {
  await readAll(body).catch(() => undefined);
}

/** Yields the body of a stream. The request ends with it; an error tells why it ended. */
export async function* untilEnd(
  body: AsyncIterable<Uint8Array>,
  timeout: RequestLifetime,
  line?: SharedLine,
): AsyncGenerator<Uint8Array> {
  if (line !== undefined) timeout.unwatch();
  line?.join(timeout);
  try {
    for await (const chunk of body) {
      line?.heard();
      yield chunk;
    }
  } catch (error) {
    if (timeout.lost) throw new TransportError(LOST, { cause: error });
    if (timeout.isLate) throw new TransportError(TIMED_OUT_READING, { cause: error });
    throw error;
  } finally {
    line?.leave(timeout);
    timeout.end();
  }
}
