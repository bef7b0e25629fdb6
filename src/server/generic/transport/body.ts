import type { Readable } from "node:stream";
import { requestEntityTooLarge } from "../../../machinery/errors/status-error.js";

/**
 * Reads a body whole; throws a 413 StatusError as soon as it is longer than `limit` bytes. What is left of such a body is
 * read and forgotten, so that the answer can still be sent: a stream that is given up takes its answer with it.
 */
export function readBody(source: Readable, limit: number): Promise<Uint8Array> {
  // An HTTP/2 stream without a byte of body ends by itself, which can be before anybody asks for it.
  if (source.readableEnded) return Promise.resolve(NOTHING);
  if (source.closed) return Promise.reject(clientGone());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      source.off("data", take);
      source.resume();
      reject(requestEntityTooLarge(`limit is ${limit}`));
    };
    source.on("data", take);
    source.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    source.once("error", reject);
    // Every stream closes; an error costs a stack trace.
    source.once("close", () => {
      if (!source.readableEnded) reject(clientGone());
    });
  });
}

const NOTHING = new Uint8Array();

const clientGone = (): Error => new Error("the client is gone");
