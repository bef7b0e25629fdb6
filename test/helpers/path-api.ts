import { watchFrames, type WatchFrame } from "../../src/client/dynamic/watch-events.js";
import { responseError } from "../../src/client/rest/response-error.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { decodeJson } from "../../src/machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../src/machinery/wire/json/json-encoder.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import type { KubeList, KubeObject } from "../../src/machinery/meta/object.js";

/** Plain objects by their paths. A failure throws the StatusError that the server answered. */
export interface PathApi {
  get(path: string): Promise<KubeObject>;
  list(path: string): Promise<KubeList>;
  create(path: string, object: KubeObject): Promise<KubeObject>;
  update(path: string, object: KubeObject): Promise<KubeObject>;
  delete(path: string, options?: JsonObject): Promise<void>;
  patch(path: string, type: "merge-patch" | "strategic-merge-patch", patch: JsonObject): Promise<KubeObject>;
  /** Events as they come, ERROR included. Ends when the server ends the watch. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchFrame>;
}

const JSON_TYPE = "application/json";

export function pathApi(transport: Transport, userAgent: string): PathApi {
  const call = async (method: string, path: string, body?: unknown, type = JSON_TYPE): Promise<JsonObject> => {
    const response = await transport.send({
      method,
      path,
      headers: { accept: JSON_TYPE, "content-type": type, "user-agent": userAgent },
      ...(body !== undefined && { body: Buffer.from(encodeJson(body)) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const answer = { status: response.status, contentType: JSON_TYPE, body: bytes };
    if (response.status >= 300) throw responseError({ method, path }, answer);
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
    patch: (path, type, patch) => call("PATCH", path, patch, `application/${type}+json`) as Promise<KubeObject>,
    async *watch(path, signal) {
      const headers = { accept: JSON_TYPE, "user-agent": userAgent };
      const { body } = await transport.send({ method: "GET", path, headers, signal });
      for await (const frames of watchFrames(body)) yield* frames;
    },
  };
}
