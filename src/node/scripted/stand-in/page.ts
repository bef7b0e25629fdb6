import type { ByteStream } from "../../../machinery/wire/streams/byte-stream.js";
import type { AnswerConnection } from "../ports.js";

/** The beginning of a request of HTTP/1. */
const REQUEST = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n/;
const HOST = /\r\nhost:[ \t]*([^\r\n \t]+)/i;
const END_OF_HEAD = "\r\n\r\n";
/** A head that is longer is no request. Bytes. */
const LONGEST_HEAD = 64 * 1024;

export interface HttpRequest {
  readonly method: string;
  /** As the client wrote it: "/a?b". */
  readonly target: string;
  readonly host: string;
}

export interface HttpAnswer {
  /** "404 Not Found". */
  readonly status: string;
  readonly fields: readonly string[];
  /** Bytes of the body. */
  readonly length: number;
  readonly body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Answers HTTP/1 requests: with the result of `special`, else with a plain page. It reads and ignores any other protocol. */
export const page =
  (text: string, special?: (request: HttpRequest) => Promise<HttpAnswer | undefined>): AnswerConnection =>
  async (connection) => {
    let head = "";
    for await (const chunk of connection) {
      if (head.length > LONGEST_HEAD) continue;
      head += Buffer.from(chunk).toString("latin1");
      const [, method, target = ""] = head.includes(END_OF_HEAD) ? (REQUEST.exec(head) ?? []) : [];
      if (method === undefined) continue;
      const [, host = "localhost"] = HOST.exec(head) ?? [];
      await send(connection, method, (await special?.({ method, target, host })) ?? plain(text));
      break;
    }
    await connection.end();
  };

function plain(text: string): HttpAnswer {
  const body = Buffer.from(text);
  const fields = ["Content-Type: text/plain; charset=utf-8"];
  return { status: "200 OK", fields, length: body.length, body: [body] };
}

async function send(
  connection: ByteStream,
  method: string,
  { status, fields, length, body }: HttpAnswer,
): Promise<void> {
  const lines = [`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${length}`, "Connection: close"];
  const head = Buffer.from(`${lines.join("\r\n")}${END_OF_HEAD}`);
  if (method === "HEAD") return connection.write(head);
  let left = length;
  let next: Uint8Array = head;
  for await (const chunk of body) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    await connection.write(next);
    next = part;
    if (left === 0) break;
  }
  await connection.write(next);
}
