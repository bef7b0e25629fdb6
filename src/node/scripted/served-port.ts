import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { duplexOf, byteStreamOf } from "../../machinery/wire/streams/duplexes.js";
import { joinStreams } from "../../machinery/wire/streams/byte-stream.js";
import type { AnswerConnection } from "./ports.js";

/** A port of a scripted image that answers HTTP: `ports: { 80: httpPort((request, response) => response.end("hello")) }`. */
export function httpPort(listener: RequestListener): AnswerConnection {
  const server = createServer(listener);
  return (connection) => {
    const socket = duplexOf(connection);
    socket.on("error", () => {});
    server.emit("connection", socket);
  };
}

/** A port of a scripted image that is a port of this machine, for programs that run outside: a database. */
export function localPort(port: number, host = "127.0.0.1"): AnswerConnection {
  return async (connection) => {
    const socket = connect({ port, host, allowHalfOpen: true, noDelay: true });
    await joinStreams(connection, byteStreamOf(socket));
  };
}
