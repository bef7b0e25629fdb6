import type { AnswerConnection } from "../ports.js";

/** The beginning of a request of HTTP/1. */
const REQUEST = /^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/;
const END_OF_HEAD = "\r\n\r\n";
/** A head that is longer is no request. Bytes. */
const LONGEST_HEAD = 64 * 1024;

/** Answers every request of HTTP/1 with a plain page, and hears out whoever speaks something else. */
export const page =
  (text: string): AnswerConnection =>
  async (connection) => {
    let head = "";
    for await (const chunk of connection) {
      if (head.length > LONGEST_HEAD) continue;
      head += Buffer.from(chunk).toString("latin1");
      if (!head.includes(END_OF_HEAD) || !REQUEST.test(head)) continue;
      const body = Buffer.from(text);
      const fields = ["Content-Type: text/plain; charset=utf-8", `Content-Length: ${body.length}`, "Connection: close"];
      const answer = `HTTP/1.1 200 OK\r\n${fields.join("\r\n")}${END_OF_HEAD}`;
      await connection.write(Buffer.concat([Buffer.from(answer), head.startsWith("HEAD ") ? Buffer.alloc(0) : body]));
      break;
    }
    await connection.end();
  };
