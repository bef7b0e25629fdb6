// A process that writes ConfigMaps as fast as its connections can, told by messages what.
import { Http1Connection, requestBytes } from "../server/http1-connection.mjs";
import { configMap, NAMESPACES, namespaceName, objectName } from "./objects.mjs";

const CONNECTIONS = 16;
const operations = { namespaces, create, update, list };

process.on("message", (message) => {
  operations[message.op](message).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });

async function namespaces({ target }) {
  await write(target, 0, NAMESPACES, (index) => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespaceName(index) } };
    return requestBytes("POST", "/api/v1/namespaces", namespace);
  });
}

/** Creates the objects `from` to `to`, the latter not included. */
async function create({ target, from, to }) {
  await write(target, from, to, (index) => requestBytes("POST", collection(index), configMap(index)));
}

/** Makes `count` changes to the first `objects` objects in turn. */
async function update({ target, count, objects, mark }) {
  const started = performance.now();
  await write(target, 0, count, (change) => {
    const index = change % objects;
    return requestBytes("PUT", `${collection(index)}/${objectName(index)}`, configMap(index, `${mark}-${change}`));
  });
  return { milliseconds: performance.now() - started };
}

/** What a list of all objects is. */
async function list({ target }) {
  const connection = await Http1Connection.open(target);
  const { body } = await connection.ask(requestBytes("GET", "/api/v1/configmaps"));
  connection.close();
  return { bytes: body.length, objects: JSON.parse(body.toString()).items.length };
}

const collection = (index) => `/api/v1/namespaces/${namespaceName(index)}/configmaps`;

async function write(target, from, to, request) {
  const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => Http1Connection.open(target)));
  let next = from;
  await Promise.all(
    open.map(async (connection) => {
      while (next < to) await connection.ask(request(next++));
    }),
  );
  for (const connection of open) connection.close();
}
