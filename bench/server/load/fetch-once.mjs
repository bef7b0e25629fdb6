import { Http1Connection, requestBytes } from "../http1-connection.mjs";

/** One GET; the answer with its headers, for the floor to repeat. */
export async function fetchOnce({ target, path }) {
  const connection = await Http1Connection.open(target);
  const { head, body } = await connection.ask(requestBytes("GET", path));
  connection.close();
  const fields = head
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  // These are the server's own to write.
  const own = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
  const headers = Object.fromEntries(fields.filter(([name]) => !own.has(name.toLowerCase())));
  return { headers, body: body.toString("base64") };
}
