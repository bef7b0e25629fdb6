import { schemaFor, structOf } from "../../src/api/facts/index.js";
import { decodeProtobufMessage } from "../../src/machinery/wire/protobuf/decode-protobuf.js";
import { openEnvelope } from "../../src/machinery/wire/protobuf/envelope.js";
import { readYaml } from "../../src/machinery/text/yaml/read.js";
import type { HostileRequest } from "./hostility.js";
import type { HostileAnswer } from "./wire.js";

/** What is wrong with an answer; undefined when nothing is. */
export function problemOf(request: HostileRequest, answer: HostileAnswer): string | undefined {
  const { status } = answer;
  if (!request.expected.includes(status)) return `answered ${status} instead of ${request.expected.join(" or ")}`;
  if (status < 400 || request.method === "HEAD" || request.raw !== undefined) return undefined;
  if (answer.type.startsWith("text/plain")) return isPlain(request) ? undefined : "answered plain text";
  return statusProblem(request, answer);
}

/** Paths outside the API, and those of groups that the server does not have, answer in plain text. */
const isPlain = ({ path }: HostileRequest): boolean =>
  !/^\/apis?\/[^/]+\/[^/]/.test(path) || /%(?![0-9A-Fa-f]{2})/.test(path) || GROUPS_OF_NOBODY.test(path);

const GROUPS_OF_NOBODY = /^\/apis\/(?:nobody|constructor)\//;

function statusProblem({ reason }: HostileRequest, { status, type, body }: HostileAnswer): string | undefined {
  let value: Record<string, unknown>;
  try {
    value = valueOf(type, body);
  } catch {
    return `answered an error that is no ${type}`;
  }
  if (value["kind"] !== "Status" || value["apiVersion"] !== "v1") return "answered an error that is no Status";
  if (value["status"] !== "Failure" || value["code"] !== status) return "answered a Status that contradicts its code";
  if (typeof value["message"] !== "string") return "answered a Status without a message";
  if (reason !== undefined && value["reason"] !== reason)
    return `gave the reason ${String(value["reason"])} instead of ${reason}`;
  return undefined;
}

/** The Status in the media type that the request prefers. */
function valueOf(type: string, body: Buffer): Record<string, unknown> {
  if (type === "application/yaml") return readYaml(body.toString("utf8")).value as Record<string, unknown>;
  if (type !== "application/vnd.kubernetes.protobuf") {
    return JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  }
  const { apiVersion, kind, raw } = openEnvelope(body);
  const schema = schemaFor({ group: "", version: apiVersion, kind });
  return { kind, apiVersion, ...(schema && decodeProtobufMessage(raw, schema, structOf)) };
}
