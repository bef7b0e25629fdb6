import { connect } from "node:http2";
import { request } from "node:https";
import type { Readable } from "node:stream";
import type { Reach } from "./server-process.js";

export type Protocol = "HTTP/1.1" | "HTTP/2";

/** Watches on a connection of its own until it has seen so many changes. Rejects when the watch ends before. */
export function watchChanges(server: Reach, protocol: Protocol, path: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}` };
  if (protocol === "HTTP/2") {
    const session = connect(server.url, { ca: server.caCertificate });
    const stream = session.request({ ":path": path, ...headers });
    return changes(stream, count).finally(() => session.destroy());
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { ca: server.caCertificate, agent: false, headers });
    outgoing.on("error", reject).on("response", (answer) => {
      changes(answer, count)
        .finally(() => outgoing.destroy())
        .then(resolve, reject);
    });
    outgoing.end();
  });
}

function changes(stream: Readable, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    let line = "";
    stream.setEncoding("utf8").on("data", (text: string) => {
      const lines = (line + text).split("\n");
      line = lines.pop() ?? "";
      seen += lines.filter((one) => one.startsWith('{"type":"MODIFIED"')).length;
      if (seen >= count) resolve();
    });
    stream.on("error", reject).on("close", () => reject(new Error(`the watch ended after ${seen} changes`)));
  });
}
