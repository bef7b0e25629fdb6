// A client for dialers.mjs: a line of JSON for a task, a line of JSON for what came of it.
import { createInterface } from "node:readline";
import { connect, createSecureContext } from "node:tls";

for await (const line of createInterface({ input: process.stdin })) {
  const { port, ca, cert, key, shows, asks, count, parallel } = JSON.parse(line);
  const secureContext = createSecureContext({ ca, ...(shows && { cert, key }) });
  let [next, served, fault] = [0, 0, ""];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next++ < count) {
        try {
          await dial({ port, secureContext }, asks);
          served++;
        } catch (error) {
          fault = String(error);
        }
      }
    }),
  );
  process.stdout.write(`${JSON.stringify({ served, took: performance.now() - started, fault })}\n`);
}

function dial({ port, secureContext }, asks) {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: "127.0.0.1", port, secureContext, checkServerIdentity: () => undefined }, () => {
      if (asks) socket.write("GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
      else socket.end();
    });
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", reject);
    socket.on("close", () => (!asks || / (200|401) /.test(text) ? resolve() : reject(new Error(`no answer: ${text}`))));
  });
}
