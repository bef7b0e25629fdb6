import { Http1Connection, requestBytes } from "../http1-connection.mjs";
import { kinds, objectName } from "../objects.mjs";
import { percentile } from "../statistics.mjs";

/** Creates `count` objects of about `size` bytes, as fast as `connections` can. Latencies are in milliseconds. */
export function create({ target, namespace, prefix, size, object = "configMap", ...rest }) {
  const slot = "0".repeat(objectName(prefix, 0).length);
  const { make, collection } = kinds[object];
  const bytes = requestBytes(
    "POST",
    collection(namespace),
    make(namespace, slot, size),
    undefined,
    undefined,
    target.token,
  );
  const request = withSlots(bytes, slot);
  return write(target, rest, (index) => request([objectName(prefix, index)]));
}

/**
 * Merge patches that change one key of the data of ConfigMaps, `objects` of them in turn: `count` in all, as fast as
 * `connections` can. `mark` tells the values of one call from those of another.
 */
export function patch({ target, namespace, prefix, objects, mark, ...rest }) {
  const slot = "0".repeat(objectName(prefix, 0).length);
  const value = (index) => `${mark}-${String(index).padStart(6, "0")}`;
  const path = `/api/v1/namespaces/${namespace}/configmaps/${slot}`;
  const body = { data: { mark: "1".repeat(value(0).length) } };
  const request = withSlots(requestBytes("PATCH", path, body, "application/merge-patch+json"), slot, body.data.mark);
  return write(target, rest, (index) => request([objectName(prefix, index % objects), value(index)]));
}

/** A request that is the same but for some texts, which keep their length, so that making one costs next to nothing. */
function withSlots(bytes, ...slots) {
  const places = slots.map((slot) => bytes.indexOf(slot));
  return (texts) => {
    const made = Buffer.from(bytes);
    for (const [index, text] of texts.entries()) made.latin1Write(text, places[index]);
    return made;
  };
}

async function write(target, { count, connections }, request) {
  const open = await Promise.all(Array.from({ length: connections }, () => Http1Connection.open(target)));
  const latencies = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    open.map(
      (connection) =>
        new Promise((resolve, reject) => {
          let sent = 0;
          const send = () => {
            if (next >= count) return resolve();
            const bytes = request(next++);
            sent = performance.now();
            connection.send(bytes, done, reject);
          };
          const done = () => {
            latencies.push(performance.now() - sent);
            send();
          };
          send();
        }),
    ),
  );
  const milliseconds = performance.now() - started;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    count,
    milliseconds,
    perSecond: (count * 1000) / milliseconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
