import type { HostileRequest } from "./hostility.js";
import type { HostileAnswer } from "./wire.js";

/**
 * What kube-apiserver 1.36 itself answers 500 to, though the client is to blame: errors that are no Status of their own, so
 * that they come without a reason. Applied objects that do not fit their type (structuredmerge), and directives of
 * strategic merge patches that interpretStrategicMergePatchError does not know (handlers/patch.go).
 */
const UNCLASSIFIED: readonly RegExp[] = [
  /^failed to create typed patch object \(/,
  /^unknown patch type: /,
  /^map: .* does not contain declared merge key: /s,
  /^expected a (?:\[\]interface \{\}|map\[string\]interface \{\}), but received a /,
  /^list element types are not identical: /,
  /^merging lists cannot yet be specified in the patch$/,
  /^value for key \d+ is not a map$/,
  /^no elements in any of the given slices$/,
  /^The order in patch list:\n/,
  /^unable to find api field in struct /,
  // A GET at a version that is none: InterpretGetError knows no InvalidError (storage/errors).
  /^resourceVersion: Invalid value: /,
  /^cannot merge lists without merge key for struct$/,
];

function isUnclassified({ status, body }: HostileAnswer): boolean {
  if (status !== 500 || body.length === 0) return false;
  const { reason, message } = JSON.parse(body.toString("utf8")) as { reason?: string; message?: string };
  return reason === undefined && UNCLASSIFIED.some((one) => one.test(message ?? ""));
}

/** What is wrong with an answer; undefined when nothing is. */
export function problemOf(request: HostileRequest, answer: HostileAnswer): string | undefined {
  const { status } = answer;
  if (isUnclassified(answer)) return undefined;
  if (!request.expected.includes(status)) return `answered ${status} instead of ${request.expected.join(" or ")}`;
  if (status < 400 || request.method === "HEAD" || request.raw !== undefined) return undefined;
  if (answer.type.startsWith("text/plain")) return isPlain(request) ? undefined : "answered plain text";
  return statusProblem(request, answer);
}

/** Paths outside the API answer in plain text. */
const isPlain = ({ path }: HostileRequest): boolean =>
  !/^\/apis?\/[^/]+\/[^/]/.test(path) || /%(?![0-9A-Fa-f]{2})/.test(path);

function statusProblem({ reason }: HostileRequest, { status, body }: HostileAnswer): string | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  } catch {
    return "answered an error that is no JSON";
  }
  if (value["kind"] !== "Status" || value["apiVersion"] !== "v1") return "answered an error that is no Status";
  if (value["status"] !== "Failure" || value["code"] !== status) return "answered a Status that contradicts its code";
  if (typeof value["message"] !== "string") return "answered a Status without a message";
  if (reason !== undefined && value["reason"] !== reason)
    return `gave the reason ${String(value["reason"])} instead of ${reason}`;
  return undefined;
}
