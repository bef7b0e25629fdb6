import { Http1Connection, requestBytes } from "../http1-connection.mjs";

/** A GET of something large, `times` in a row on one connection: milliseconds to the last byte of each. `accept`: JSON when left out. */
export async function list({ target, path, times, accept }) {
  const connection = await Http1Connection.open(target);
  const bytes = requestBytes("GET", path, undefined, undefined, accept, target.token);
  const took = [];
  let size = 0;
  for (let round = 0; round < times; round++) {
    const started = performance.now();
    await new Promise((resolve, reject) => {
      const done = (chunks, bodyStart) => {
        took.push(performance.now() - started);
        size = chunks.reduce((sum, chunk) => sum + chunk.length, -bodyStart);
        resolve();
      };
      connection.send(bytes, done, reject);
    });
  }
  connection.close();
  return { took, size };
}
