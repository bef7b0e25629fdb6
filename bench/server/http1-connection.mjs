import { connect } from "node:tls";

const UNKNOWN = -1;
const CHUNKED = -2;

/**
 * An HTTP/1.1 connection that does as little as it can, so that who loads a server is not what is measured: one request at a time, its
 * bytes ready-made, the answer found by its Content-Length or its last chunk and handed on unread.
 */
export class Http1Connection {
  #socket;
  #chunks = [];
  #received = 0;
  /** Bytes of the whole answer. */
  #expected = UNKNOWN;
  #bodyStart = 0;
  #done;
  #fail;
  #status = 0;
  #takesRefusals;

  /**
   * Resolves when the handshake is done. `target` has port and ca, and cert and key or a token that requests bring. With `takesRefusals` an
   * answer that is no success is an answer too.
   */
  static open({ port, ca, cert, key }, { takesRefusals = false } = {}) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, ca, cert, key, ALPNProtocols: ["http/1.1"] });
      socket.setNoDelay(true);
      socket.once("error", reject);
      socket.once("secureConnect", () => {
        socket.off("error", reject);
        resolve(new Http1Connection(socket, takesRefusals));
      });
    });
  }

  constructor(socket, takesRefusals) {
    this.#socket = socket;
    this.#takesRefusals = takesRefusals;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#fail?.(error));
    socket.on("close", () => this.#fail?.(new Error("the server closed the connection")));
  }

  /** Sends ready-made bytes; `done(chunks, bodyStart, status)` gets the answer, head included, `fail` an answer that is no success. */
  send(bytes, done, fail) {
    this.#done = done;
    this.#fail = fail;
    this.#socket.write(bytes);
  }

  /** {@link send} for those who can afford a promise: the whole answer's head and body. */
  ask(bytes) {
    return new Promise((resolve, reject) => {
      const done = (chunks, bodyStart) => {
        const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
        const head = whole.toString("latin1", 0, bodyStart);
        const rest = whole.subarray(bodyStart);
        resolve({ head, body: /transfer-encoding: chunked/i.test(head) ? withoutChunks(rest) : rest });
      };
      this.send(bytes, done, reject);
    });
  }

  /** From now on whatever comes is given to `take` as it comes. */
  stream(bytes, take, fail) {
    this.#socket.removeAllListeners("data");
    this.#socket.on("data", take);
    this.#fail = fail;
    this.#socket.write(bytes);
  }

  close() {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#expected === UNKNOWN && !this.#readHead()) return;
    if (this.#expected === CHUNKED ? !endsWithLastChunk(this.#chunks) : this.#received < this.#expected) return;
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#received = 0;
    this.#expected = UNKNOWN;
    this.#done(chunks, this.#bodyStart, this.#status);
  }

  #readHead() {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = bytes.latin1Slice(0, end);
    this.#status = Number(head.slice(9, 12));
    if (this.#status >= 300 && !this.#takesRefusals) {
      this.#fail(new Error(`answered ${head.split("\r\n")[0]}: ${bytes.latin1Slice(end + 4, end + 500)}`));
      return false;
    }
    const at = head.toLowerCase().indexOf("content-length:");
    this.#bodyStart = end + 4;
    this.#expected = at < 0 ? CHUNKED : this.#bodyStart + Number.parseInt(head.slice(at + 15), 10);
    return true;
  }
}

const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** A line break cannot stand in JSON, so nothing else looks like this. */
function endsWithLastChunk(chunks) {
  const last = chunks.at(-1);
  // It may come in pieces.
  const end = last.length >= LAST_CHUNK.length ? last : Buffer.concat(chunks.slice(-LAST_CHUNK.length));
  return end.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}

function withoutChunks(bytes) {
  const chunks = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.latin1Slice(at, lineEnd), 16);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** A request's bytes. `body`, when there is one, is a JSON value; `token` is that of a target whose connections show no certificate. */
export function requestBytes(method, path, body, type = "application/json", accept = "application/json", token = "") {
  const text = body === undefined ? "" : JSON.stringify(body);
  const bodyHeaders =
    body === undefined ? "" : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  const authorization = token === "" ? "" : `Authorization: Bearer ${token}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: kubets-bench\r\nAccept: ${accept}\r\n${authorization}${bodyHeaders}\r\n${text}`,
  );
}
