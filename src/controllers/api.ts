import { responseError } from "../client/rest/response-error.js";
import type { Transport } from "../client/transport/transport.js";
import { decodeJson } from "../machinery/codec/json-decoder.js";
import { encodeJson } from "../machinery/codec/json-encoder.js";
import type { JsonObject } from "../machinery/meta/json.js";
import type { KubeList, KubeObject } from "../machinery/meta/object.js";

/** What a controller asks of the API: plain objects over a transport. A failure throws the StatusError it was answered. */
export interface Api {
  get(path: string): Promise<KubeObject>;
  list(path: string): Promise<KubeList>;
  create(path: string, object: KubeObject): Promise<KubeObject>;
  update(path: string, object: KubeObject): Promise<KubeObject>;
  delete(path: string, options?: JsonObject): Promise<void>;
  /** Events from a watch as they come; ends when the server ends it. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

export function createApi(transport: Transport, userAgent: string): Api {
  const call = async (method: string, path: string, body?: unknown): Promise<JsonObject> => {
    const response = await transport.send({
      method,
      path,
      headers: { accept: "application/json", "content-type": "application/json", "user-agent": userAgent },
      ...(body !== undefined && { body: Buffer.from(encodeJson(body)) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (response.status >= 300) throw failure(method, path, response.status, bytes);
    return decodeJson(bytes).value as JsonObject;
  };
  return {
    get: (path) => call("GET", path) as Promise<KubeObject>,
    list: (path) => call("GET", path) as unknown as Promise<KubeList>,
    create: (path, object) => call("POST", path, object) as Promise<KubeObject>,
    update: (path, object) => call("PUT", path, object) as Promise<KubeObject>,
    delete: async (path, options = {}) => {
      await call("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1", ...options });
    },
    async *watch(path, signal) {
      const headers = { accept: "application/json", "user-agent": userAgent };
      const response = await transport.send({ method: "GET", path, headers, signal });
      if (response.status >= 300) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        throw failure("GET", path, response.status, Buffer.concat(chunks));
      }
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") yield decodeJson(line).value as unknown as WatchEvent;
      }
    },
  };
}

const failure = (method: string, path: string, status: number, body: Uint8Array): Error =>
  responseError({ method, path }, { status, contentType: "application/json", body });
