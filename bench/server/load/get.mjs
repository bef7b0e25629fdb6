import { Http1Connection, requestBytes } from "../http1-connection.mjs";
import { percentile } from "../statistics.mjs";

const WARM_UP_MS = 150;

/** The same GET over and over on each of `connections`. Latencies are in milliseconds. */
export async function get({ target, path, connections, milliseconds }) {
  const bytes = requestBytes("GET", path, undefined, undefined, undefined, target.token);
  const open = await Promise.all(Array.from({ length: connections }, () => Http1Connection.open(target)));
  const latencies = [];
  const from = performance.now() + WARM_UP_MS;
  const until = from + milliseconds;
  await Promise.all(
    open.map(
      (connection) =>
        new Promise((resolve, reject) => {
          let sent = performance.now();
          const done = () => {
            const now = performance.now();
            if (now > until) return resolve();
            if (now > from) latencies.push(now - sent);
            sent = now;
            connection.send(bytes, done, reject);
          };
          connection.send(bytes, done, reject);
        }),
    ),
  );
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    perSecond: (latencies.length * 1000) / milliseconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
