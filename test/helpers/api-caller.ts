import type { Transport } from "../../src/client/transport/transport.js";
import { isJsonObject, type JsonValue } from "../../src/machinery/meta/json.js";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** What is at a path of the JSON body ("metadata.labels.app", "items.0"); undefined when nothing is. */
  at(path: string): JsonValue | undefined;
}

export interface CallOptions {
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent once for each value. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
}

/** Sends one request and reads the whole answer. `body` is text, or a value that becomes JSON. */
export async function call(
  transport: Transport,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const response = await transport.send({
    method,
    path,
    headers: {
      accept: options.accept ?? "application/json",
      ...(body !== undefined && { "content-type": options.type ?? "application/json" }),
      ...options.headers,
    },
    ...(options.repeatedHeaders && { repeatedHeaders: options.repeatedHeaders }),
    ...(body !== undefined && { body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: response.status, headers: response.headers, text, at: (wanted) => valueAt(text, wanted) };
}

function valueAt(text: string, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = JSON.parse(text) as JsonValue;
  for (const key of path.split(".")) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) ? value[key] : undefined;
  }
  return value;
}
