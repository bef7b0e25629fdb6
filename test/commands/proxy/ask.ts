import { request as httpRequest } from "node:http";

export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names, sorted; without those that tell the time. */
  readonly headers: readonly string[];
  readonly body: string;
}

const LEFT_OUT = new Set(["date", "audit-id"]);

/** Sends one request as it is written, on a connection of its own. `address` is HOST:PORT or a socket. */
export function ask(address: string, { method = "GET", path, headers = {}, body }: Question): Promise<Answer> {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(address) ?? [];
  const place = host === undefined ? { socketPath: address } : { host, port };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...place, method, path, headers, agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("error", reject);
      response.on("end", () => {
        const lines = Object.entries(response.headersDistinct)
          .filter(([name]) => !LEFT_OUT.has(name))
          .map(([name, values]) => `${name}: ${values?.join(" | ")}`);
        resolve({ status: response.statusCode ?? 0, headers: lines.sort(), body: text });
      });
    });
    request.end(body);
  });
}
