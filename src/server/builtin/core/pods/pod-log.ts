import type { PodSpec } from "../../../../api/types/core/v1.js";
import type { FieldsOf } from "../../../../machinery/meta/received.js";
import type { IncomingMessage } from "node:http";
import { goNetworkReason } from "../../../../client/transport/go-network-error.js";
import {
  badRequest,
  genericServerResponse,
  internalError,
  StatusError,
  unclassified,
  invalid,
} from "../../../../machinery/errors/status-error.js";
import { object, text } from "../../../../machinery/meta/access.js";
import type { HandlerContext } from "../../../endpoints/resource-record.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import { scopeOf } from "../../../endpoints/verbs/scope.js";
import { authorityOf, type ProxyTarget, requestOf } from "../../../kubelet/proxy-target.js";
import { currentSpan } from "../../../../machinery/tracing/request-span.js";
import { respondHead } from "../../../request/respond.js";
import type { ApiRequest } from "../../../request/api-request.js";
import { kubeletTarget, readObject, chosenContainer } from "../connect-target.js";
import { type FieldError, forbiddenField, invalidValue } from "../../../../machinery/errors/field-error.js";
import { canonicalizeTime, TimeParseError } from "../../../../machinery/text/go/go-time.js";

/** An answer that is an error is read so far and no further. */
const LONGEST_ERROR = 50_000;

/** GET /pods/NAME/log: streams the answer of the agent on the pod's node. A pod without a node has no log: 204. */
export async function handlePodLog(request: ApiRequest, pods: ServedResource, server: HandlerContext): Promise<void> {
  const { exchange, info } = request;
  const options = podLogOptions(exchange.query, info.name);
  const scope = scopeOf(request);
  const pod = await readObject(scope, pods, info.name);
  const container = chosenContainer(pod, options.container);
  const { nodeName }: FieldsOf<PodSpec> = object(pod.spec);
  const node = text(nodeName);
  if (node === "") {
    await respondHead(request, 204, {}).end();
    return;
  }
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}${queryOf(options)}`;
  const answer = await ask(await kubeletTarget(server, scope, node, path), exchange.signal);
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 206) throw await refusal(answer, info.name);
  const writer = respondHead(request, 200, { "content-type": "text/plain" });
  for await (const chunk of answer) await writer.write(chunk as Uint8Array);
  await writer.end();
}

function queryOf({ container: _container, ...options }: PodLogOptions): string {
  const stated = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const query = new URLSearchParams(Object.fromEntries(stated.map(([key, value]) => [key, String(value)])));
  query.sort();
  return stated.length === 0 ? "" : `?${query.toString()}`;
}

function ask(target: ProxyTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { host: authorityOf(target), ...currentSpan()?.headers };
  return new Promise((resolve, reject) => {
    const outgoing = requestOf(target, { method: "GET", headers, signal });
    outgoing.on("response", resolve);
    outgoing.on("error", (error) =>
      reject(unclassified(`Get "https://${headers.host}${target.path}": ${goNetworkReason(error)}`)),
    );
    outgoing.end();
  });
}

async function refusal(answer: IncomingMessage, name: string): Promise<StatusError> {
  const status = answer.statusCode ?? 0;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    length += piece.length;
    if (length >= LONGEST_ERROR) break;
  }
  const message = Buffer.concat(pieces).subarray(0, LONGEST_ERROR).toString("utf8");
  if (status === 500) return internalError(message);
  if (status === 400) return badRequest(message);
  const resource = { group: "", resource: "pods/log" };
  return genericServerResponse({ code: status, verb: "", resource, name, serverMessage: message });
}

/** v1 PodLogOptions of a query. */
interface PodLogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** RFC 3339, whole seconds, in UTC. */
  readonly sinceTime?: string | undefined;
  readonly sinceSeconds?: bigint | undefined;
  readonly tailLines?: bigint | undefined;
  readonly limitBytes?: bigint | undefined;
}

/** Reads PodLogOptions. Throws 400 for values that cannot be parsed, 422 for invalid ones. The error names `pod`. */
function podLogOptions(query: URLSearchParams, pod: string): PodLogOptions {
  const options: PodLogOptions = {
    container: query.get("container") ?? "",
    follow: flag(query.get("follow")),
    previous: flag(query.get("previous")),
    timestamps: flag(query.get("timestamps")),
    sinceTime: time(query.get("sinceTime")),
    sinceSeconds: integer(query.get("sinceSeconds")),
    tailLines: integer(query.get("tailLines")),
    limitBytes: integer(query.get("limitBytes")),
  };
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
  return options;
}

function problems({ tailLines, limitBytes, sinceSeconds, sinceTime }: PodLogOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n) {
    errors.push(invalidValue("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1n) {
    errors.push(invalidValue("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1n) {
    errors.push(invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  return errors;
}

function integer(value: string | null): bigint | undefined {
  if (value === null) return undefined;
  const fault = (reason: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${reason}`);
  if (!/^[+-]?\d+$/.test(value)) throw fault("invalid syntax");
  const number = BigInt(value.replace(/^\+/, ""));
  if (BigInt.asIntN(64, number) !== number) throw fault("value out of range");
  return number;
}

function time(value: string | null): string | undefined {
  if (value === null || value === "") return undefined;
  try {
    return canonicalizeTime(value);
  } catch (error) {
    if (error instanceof TimeParseError) throw badRequest(error.message);
    throw error;
  }
}

/** Reads a boolean of the query as apimachinery does: any value but "false" and "0" is true. */
export const flag = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== "false" && value !== "0";
