import type { IncomingMessage } from "node:http";
import { goNetworkReason } from "../../../../client/transport/go-network-error.js";
import {
  badRequest,
  genericServerResponse,
  internalError,
  StatusError,
  unclassified,
} from "../../../../machinery/errors/status-error.js";
import { object, text } from "../../../../machinery/meta/access.js";
import { type PodLogOptions, podLogOptions } from "../../../endpoints/options/pod-log-options.js";
import type { HandlerContext } from "../../../endpoints/resource-record.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import { scopeOf } from "../../../endpoints/verbs/scope.js";
import { authorityOf, type ProxyTarget, requestOf } from "../../../kubelet/proxy-target.js";
import { respondHead } from "../../../request/respond.js";
import type { ApiRequest } from "../../../request/api-request.js";
import { kubeletTarget, readObject, chosenContainer } from "../connect-target.js";

/** An answer that is an error is read so far and no further. */
const LONGEST_ERROR = 50_000;

/**
 * GET /pods/NAME/log: what the agent of the pod's node answers, passed on as it comes. A pod that is on no node has no log: 204.
 */
export async function handlePodLog(request: ApiRequest, pods: ServedResource, server: HandlerContext): Promise<void> {
  const { exchange, info } = request;
  const options = podLogOptions(exchange.query, info.name);
  const scope = scopeOf(request);
  const pod = await readObject(scope, pods, info.name);
  const container = chosenContainer(pod, options.container);
  const node = text(object(pod.spec).nodeName);
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
  const host = authorityOf(target);
  return new Promise((resolve, reject) => {
    const outgoing = requestOf(target, { method: "GET", headers: { host }, signal });
    outgoing.on("response", resolve);
    outgoing.on("error", (error) =>
      reject(unclassified(`Get "https://${host}${target.path}": ${goNetworkReason(error)}`)),
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
