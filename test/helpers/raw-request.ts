import { request } from "node:https";

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** A request as curl makes it: one connection, one bearer token and no client library. */
export function rawRequest(
  server: { readonly url: string; readonly caCertificate: string },
  path: string,
  { token, method = "GET", body = "" }: { readonly token: string; readonly method?: string; readonly body?: string },
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body !== "" && { "content-type": "application/json" }) };
    const options = { method, headers, ca: server.caCertificate, agent: false };
    const outgoing = request(`${server.url}${path}`, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    outgoing.on("error", reject).end(body);
  });
}
