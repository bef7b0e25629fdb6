// What Node's TLS costs by itself: a server that asks for client certificates and answers a request with a constant.
//   node bare.mjs PKI_FILE
import { readFileSync } from "node:fs";
import { createServer } from "node:tls";
import { answerUsage } from "../server/usage.mjs";

const [pkiFile] = process.argv.slice(2);
const pki = JSON.parse(readFileSync(pkiFile, "utf8"));
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
const options = {
  cert: pki.server.certificate,
  key: pki.server.key,
  ca: pki.ca.certificate,
  requestCert: true,
  rejectUnauthorized: false,
};
const server = createServer(options, (socket) => {
  socket.on("error", () => {});
  socket.on("data", () => socket.end(ANSWER));
  socket.on("end", () => socket.end());
});
server.on("tlsClientError", () => {});
answerUsage();
process.on("message", (message) => {
  if (message.op === "stop") process.exit(0);
});
process.on("disconnect", () => process.exit(1));
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
  process.send({ ready: true, port: server.address().port }),
);
