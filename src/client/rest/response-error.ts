import type { FieldsOf } from "../../machinery/meta/received.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import { genericServerResponse, internalError, type Status, StatusError } from "../../machinery/errors/status-error.js";
import type { RestRequest } from "./rest-client.js";

const MAX_TEXT = 2048;

/** Makes the error of a non-2xx answer: the Status in its body, else the one that client-go makes from the code. */
export function responseError(
  request: Pick<RestRequest, "method" | "path" | "userPath">,
  answer: {
    readonly status: number;
    readonly contentType: string;
    readonly retryAfter?: number;
    readonly body: Uint8Array;
  },
): StatusError {
  const media = answer.contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (media === "" || media === "application/json") {
    const status = statusIn(answer.body);
    if (status) return new StatusError(status);
  }
  if (media !== "" && !media.includes("/")) return internalError("mime: no media type");
  const isText = media === "" || media.startsWith("text/");
  const target = request.userPath ? { resource: { group: "", resource: "" }, name: "" } : targetOf(request.path);
  return genericServerResponse({
    code: answer.status,
    verb: request.method,
    ...target,
    serverMessage: isText ? Buffer.from(answer.body.subarray(0, MAX_TEXT)).toString("utf8").trim() : "unknown",
    ...(answer.retryAfter !== undefined && { retryAfterSeconds: answer.retryAfter }),
    isUnexpected: true,
  });
}

function statusIn(body: Uint8Array): Status | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const status: FieldsOf<Status> = value;
  if (status.status !== "Failure" || (status.kind !== undefined && status.kind !== "Status")) return undefined;
  return status as Status;
}

/** The resource and name in a path, for the "(get pods web)" at the end of an error. */
function targetOf(path: string): {
  readonly resource: { readonly group: string; readonly resource: string };
  readonly name: string;
} {
  const parts = path.split("/").filter((part) => part !== "");
  const nothing = { resource: { group: "", resource: "" }, name: "" };
  const group = parts[0] === "api" ? "" : parts[0] === "apis" ? (parts[1] ?? "") : undefined;
  if (group === undefined) return nothing;
  let rest = parts.slice(group === "" ? 2 : 3);
  // "namespaces/x" is the scope of the rest, unless the rest is a subresource of the namespace.
  if (rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? ""))
    rest = rest.slice(2);
  const [resource = "", name = ""] = rest;
  return resource === "" ? nothing : { resource: { group, resource }, name: decodeURIComponent(name) };
}
