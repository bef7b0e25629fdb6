// Calls of a server over connections that are kept, by this process: for benches that compare servers with each other.
import { Pool } from "undici";

/** A pool of connections to a server, as its administrator: "port", "ca", "cert" and "key". */
export const poolOf = ({ port, ca, cert, key }, connections) =>
  new Pool(`https://127.0.0.1:${port}`, { connections, connect: { ca, cert, key } });

/** Sends a request and resolves with the text of its answer; rejects for one that is no success. */
export const callerOf =
  (pool) =>
  async (method, path, body, type = "application/json") => {
    const { statusCode, body: answer } = await pool.request({
      method,
      path,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": type } }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return text;
  };

/** Calls a second, by so many callers for so long, each of which asks again when it was answered. */
export async function rate(call, { callers, milliseconds }) {
  let turn = 0;
  const began = performance.now();
  const end = began + milliseconds;
  const caller = async () => {
    while (performance.now() < end) await call(turn++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return turn / ((performance.now() - began) / 1000);
}

/** Milliseconds of each of so many calls, one after the other. */
export async function times(call, count) {
  const found = [];
  for (let turn = 0; turn < count; turn++) {
    const began = performance.now();
    await call(turn);
    found.push(performance.now() - began);
  }
  return found;
}

/** Milliseconds from the call of each of so many writes until its event is here. `list` is the path that is watched. */
export async function delays({ call, pool, list, write }, count) {
  const { metadata } = JSON.parse(await call("GET", `${list}?limit=1`));
  const path = `${list}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const { body } = await pool.request({ method: "GET", path });
  body.setEncoding("utf8");
  const found = await times(async (turn) => {
    const event = new Promise((done) => body.once("data", done));
    await write(turn);
    await event;
  }, count);
  body.on("error", () => {}).destroy();
  return found;
}
