import { Http1Connection, requestBytes } from "../http1-connection.mjs";
import { configMap, objectName } from "../objects.mjs";

/**
 * Updates ConfigMaps of a namespace, `count` in all, as fast as `connections` can, or `perSecond` of them. Answers when each was
 * acknowledged, by its resourceVersion, in nanoseconds of the machine's monotonic clock.
 */
export async function update({ target, namespace, prefix, count, objects, size, connections, perSecond }) {
  const open = await Promise.all(Array.from({ length: connections }, () => Http1Connection.open(target)));
  const acknowledged = [];
  let next = 0;
  const started = process.hrtime.bigint();
  await Promise.all(
    open.map(async (connection) => {
      while (next < count) {
        const index = next++;
        if (perSecond > 0) await until(started + BigInt(Math.round((index * 1e9) / perSecond)));
        const name = objectName(prefix, index % objects);
        const body = configMap(namespace, name, size, String(index));
        const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
        const answer = await connection.ask(requestBytes("PUT", path, body));
        acknowledged.push([versionOf(answer.body), process.hrtime.bigint()]);
      }
    }),
  );
  for (const connection of open) connection.close();
  return { started, acknowledged };
}

async function until(when) {
  const wait = Number(when - process.hrtime.bigint()) / 1e6;
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}

const VERSION = '"resourceVersion":"';

function versionOf(body) {
  const at = body.indexOf(VERSION) + VERSION.length;
  return body.latin1Slice(at, body.indexOf('"', at));
}
