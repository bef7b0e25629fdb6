import { Http1Connection, requestBytes } from "../http1-connection.mjs";

/** Deletes all ConfigMaps of a namespace. */
export async function clear({ target, namespace }) {
  const connection = await Http1Connection.open(target);
  const { head } = await connection.ask(requestBytes("DELETE", `/api/v1/namespaces/${namespace}/configmaps`));
  connection.close();
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`not cleared: ${head}`);
  return {};
}
