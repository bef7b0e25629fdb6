import { unsupportedMediaType } from "../../../machinery/errors/status-error.js";
import type { ApiRequest } from "../../request/api-request.js";
import { parseMediaType } from "./media-type.js";

/** What kube-apiserver takes at most. */
export const BODY_LIMIT = 3 * 1024 * 1024;

/** A body that nobody has decoded yet. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly mediaType: "application/json" | "application/yaml";
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** Reads a body of JSON or YAML; JSON when no content type is given. Throws 413 or 415. An empty one has any type. */
export async function readObjectBody(request: ApiRequest): Promise<RequestBody> {
  const { exchange } = request;
  const { type } = parseMediaType(exchange.headers["content-type"] ?? "");
  const bytes = await exchange.body(BODY_LIMIT);
  if (type === "application/yaml") return { bytes, mediaType: type };
  if (type === "" || type === "application/json" || bytes.length === 0) return { bytes, mediaType: "application/json" };
  throw refused(type);
}

function refused(type: string): Error {
  const note = type === PROTOBUF ? " (this server does not support protobuf)" : "";
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml${note}`,
  );
}
