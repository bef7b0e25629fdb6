// What Node costs at least: a TLS server that answers every request with bytes it was given, headers included. A POST is
// answered with its own body, which is read, parsed and kept.
//   node floor.mjs https|http2 PKI_FILE
// "http2" is the server that also takes HTTP/1.1, asked over HTTP/1.1.
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import { answerUsage } from "./usage.mjs";

const [kind, pkiFile] = process.argv.slice(2);
const pki = JSON.parse(readFileSync(pkiFile, "utf8"));
const options = {
  cert: pki.server.certificate,
  key: pki.server.key,
  ca: pki.ca.certificate,
  requestCert: true,
  rejectUnauthorized: false,
};
let headers = {};
let body = Buffer.alloc(0);
const kept = new Map();
const answer = (request, response) => {
  if (request.method === "POST") return keep(request, response);
  response.writeHead(200, headers);
  response.end(body);
};
function keep(request, response) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const { namespace, name } = JSON.parse(bytes.toString()).metadata;
    kept.set(`${namespace}/${name}`, bytes);
    response.writeHead(201, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
}
const server =
  kind === "http2" ? createSecureServer({ ...options, allowHTTP1: true }, answer) : createServer(options, answer);
server.on("connection", (socket) => socket.setNoDelay(true));

answerUsage();
process.on("message", (message) => {
  if (message.op === "stop") process.exit(0);
  if (message.op !== "answer") return;
  headers = message.headers;
  body = Buffer.from(message.body, "base64");
  process.send({ done: true });
});
process.on("disconnect", () => process.exit(1));
server.listen(0, "127.0.0.1", () => process.send({ ready: true, port: server.address().port }));
