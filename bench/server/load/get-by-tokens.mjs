import { Http1Connection, requestBytes } from "../http1-connection.mjs";

/** A GET for each of the tokens, as often as `times` says, spread over `connections`. */
export async function getByTokens({ target, path, tokens, connections, times }) {
  const requests = tokens.map((token) => requestBytes("GET", path, undefined, undefined, undefined, token));
  const open = await Promise.all(Array.from({ length: connections }, () => Http1Connection.open(target)));
  const count = requests.length * times;
  const started = performance.now();
  let next = 0;
  const work = (connection) =>
    new Promise((resolve, reject) => {
      const ask = () => {
        if (next === count) resolve();
        else connection.send(requests[next++ % requests.length], ask, reject);
      };
      ask();
    });
  await Promise.all(open.map(work));
  const perSecond = (count * 1000) / (performance.now() - started);
  for (const connection of open) connection.close();
  return { perSecond };
}
