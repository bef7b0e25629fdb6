import { responseError } from "../../src/client/rest/response-error.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { decodeJson } from "../../src/machinery/codec/json-decoder.js";
import { encodeJson } from "../../src/machinery/codec/json-encoder.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import type { KubeList, KubeObject } from "../../src/machinery/meta/object.js";

/** Plain objects by their paths. A failure throws the StatusError that the server answered. */
export interface PathApi {
  /** `accept` asks for another form than plain JSON. */
  get(path: string, accept?: string): Promise<KubeObject>;
  list(path: string, accept?: string): Promise<KubeList>;
  create(path: string, object: KubeObject): Promise<KubeObject>;
  update(path: string, object: KubeObject): Promise<KubeObject>;
  delete(path: string, options?: JsonObject): Promise<void>;
  patch(path: string, type: "merge-patch" | "strategic-merge-patch", patch: JsonObject): Promise<KubeObject>;
  /** Events from a watch as they come; ends when the server ends it. */
  watch(path: string, signal: AbortSignal, accept?: string): AsyncIterable<WatchEvent>;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

/** For `accept`: nothing of an object but its metadata. */
export const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
export const METADATA_ONLY_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

const JSON_TYPE = "application/json";

export function pathApi(transport: Transport, userAgent: string): PathApi {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    { accept = JSON_TYPE, type = JSON_TYPE }: { readonly accept?: string | undefined; readonly type?: string } = {},
  ): Promise<JsonObject> => {
    const response = await transport.send({
      method,
      path,
      headers: { accept, "content-type": type, "user-agent": userAgent },
      ...(body !== undefined && { body: Buffer.from(encodeJson(body)) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (response.status >= 300) throw failure(method, path, response.status, bytes);
    return decodeJson(bytes).value as JsonObject;
  };
  return {
    get: (path, accept) => call("GET", path, undefined, { accept }) as Promise<KubeObject>,
    list: (path, accept) => call("GET", path, undefined, { accept }) as unknown as Promise<KubeList>,
    create: (path, object) => call("POST", path, object) as Promise<KubeObject>,
    update: (path, object) => call("PUT", path, object) as Promise<KubeObject>,
    delete: async (path, options = {}) => {
      await call("DELETE", path, { kind: "DeleteOptions", apiVersion: "v1", ...options });
    },
    patch: (path, type, patch) =>
      call("PATCH", path, patch, { type: `application/${type}+json` }) as Promise<KubeObject>,
    async *watch(path, signal, accept = JSON_TYPE) {
      const headers = { accept, "user-agent": userAgent };
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
