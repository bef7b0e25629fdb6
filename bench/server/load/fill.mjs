import { Http1Connection, requestBytes } from "../http1-connection.mjs";
import { kinds, objectName } from "../objects.mjs";

/** Creates `count` objects of about `size` bytes each, or as many as `seconds` allow; answers how many it were. */
export async function fill({ target, namespace, prefix, object, count, size, connections, seconds = Infinity }) {
  const { make, collection } = kinds[object];
  const open = await Promise.all(Array.from({ length: connections }, () => Http1Connection.open(target)));
  const started = performance.now();
  let next = 0;
  await Promise.all(
    open.map(async (connection) => {
      while (next < count && performance.now() - started < seconds * 1000) {
        const name = objectName(prefix, next++);
        const body = make(namespace, name, size);
        await connection.ask(requestBytes("POST", collection(namespace), body));
      }
    }),
  );
  for (const connection of open) connection.close();
  return { made: next };
}
