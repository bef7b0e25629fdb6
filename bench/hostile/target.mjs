import { connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { connect as connectTls } from "node:tls";

/** Where a server is and as whom it is reached, of a kubeconfig; `user` undefined is nobody. */
export function targetOf(kubeconfig, { anonymous = false } = {}) {
  const { clusters, users } = JSON.parse(kubeconfig);
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  const pem = (text) => Buffer.from(text, "base64").toString();
  const { hostname: host, port } = new URL(server);
  return { host, port: Number(port), ca: pem(ca), ...(!anonymous && { cert: pem(cert), key: pem(key) }) };
}

/** A client of one connection that sends one request after another. */
export class Sender {
  #agent;

  constructor(target) {
    this.target = target;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Resolves with the status and the length of the answer, or with the error of a connection that the server has ended. */
  send(method, path, body, type = "application/json", headers = {}) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return new Promise((done) => {
      const outgoing = request({
        ...this.target,
        agent: this.#agent,
        method,
        path,
        headers: { accept: "application/json", ...(text !== undefined && { "content-type": type }), ...headers },
      });
      outgoing.on("error", (error) => done({ status: 0, error: error.code ?? error.message }));
      outgoing.on("response", (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.length < 50 && chunks.push(chunk));
        answer.on("end", () => done({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }));
        answer.on("error", (error) => done({ status: 0, error: error.code }));
      });
      outgoing.end(text);
    });
  }

  async must(...args) {
    const answer = await this.send(...args);
    if (answer.status >= 300 || answer.status === 0)
      throw new Error(`${args[0]} ${args[1]}: ${answer.status} ${answer.text ?? answer.error}`.slice(0, 500));
    return answer;
  }

  close() {
    this.#agent.destroy();
  }
}

export const http2Session = ({ host, port, ...tls }) => {
  const session = connectHttp2(`https://${host}:${port}`, tls);
  session.on("error", () => {});
  return session;
};

/** A TLS connection on which frames or bytes are written by hand. Resolves with undefined where the server takes none. */
export const rawSocket = ({ host, port, ca, cert, key }, protocol) =>
  new Promise((done) => {
    const socket = connectTls({ host, port, ca, cert, key, ALPNProtocols: [protocol] }, () => done(socket));
    socket.on("error", () => done(undefined)).on("close", () => done(undefined));
    socket.resume();
  });
