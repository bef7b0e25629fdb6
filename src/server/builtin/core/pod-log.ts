import { createTransport } from "../../../client/transport/create-transport.js";
import { isTransportError } from "../../../client/transport/transport-error.js";
import type { TransportResponse } from "../../../client/transport/transport.js";
import {
  badRequest,
  genericServerResponse,
  internalError,
  StatusError,
  unclassified,
} from "../../../machinery/errors/status-error.js";
import { object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { type PodLogOptions, podLogOptions } from "../../endpoints/options/pod-log-options.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { scopeOf } from "../../endpoints/verbs/scope.js";
import type { ApiRequest } from "../../request/api-request.js";
import { kubeletUrl } from "./kubelet-address.js";

/** An answer that is an error is read so far and no further. */
const LONGEST_ERROR = 50_000;

/**
 * GET /pods/NAME/log: what the agent of the pod's node answers, passed on as it comes. A pod that is on no node has no log:
 * 204. `nodes` is the resource at v1.
 */
export async function handlePodLog(request: ApiRequest, pods: ServedResource, nodes: ServedResource): Promise<void> {
  const { exchange, info } = request;
  const options = podLogOptions(exchange.query, info.name);
  const pod = await read(request, pods, info.name, info.namespace);
  const container = chosenContainer(pod, options.container);
  const node = text(object(pod.spec).nodeName);
  if (node === "") {
    await exchange.respond(204, {}).end();
    return;
  }
  const url = kubeletUrl(await read(request, nodes, node, ""));
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}${queryOf(options)}`;
  // kube-apiserver verifies a kubelet only when it is told by which authority, and this server is told of none.
  const transport = createTransport({ server: url, tls: { insecureSkipVerify: true } });
  try {
    const answer = await ask(transport, url, path, exchange.signal);
    if (answer.status < 200 || answer.status > 206) throw await refusal(answer, info.name);
    const writer = exchange.respond(200, { "content-type": "text/plain" });
    for await (const chunk of answer.body) await writer.write(chunk);
    await writer.end();
  } finally {
    await transport.close();
  }
}

async function read(
  request: ApiRequest,
  { storage }: ServedResource,
  name: string,
  namespace: string,
): Promise<KubeObject> {
  if (storage.get === undefined) throw unclassified("not served");
  return (await storage.get({ ...scopeOf(request), namespace }, name, {})).object();
}

function chosenContainer(pod: KubeObject, wanted: string): string {
  const { name = "" } = pod.metadata ?? {};
  const { initContainers, containers, ephemeralContainers } = object(pod.spec);
  const all = [initContainers, containers, ephemeralContainers].flatMap(objects).map((one) => text(one.name));
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...more] = objects(containers).map((one) => text(one.name));
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (more.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
}

function queryOf({ container: _container, ...options }: PodLogOptions): string {
  const stated = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const query = new URLSearchParams(Object.fromEntries(stated.map(([key, value]) => [key, String(value)])));
  query.sort();
  return stated.length === 0 ? "" : `?${query.toString()}`;
}

async function ask(
  transport: ReturnType<typeof createTransport>,
  url: string,
  path: string,
  signal: AbortSignal,
): Promise<TransportResponse> {
  try {
    return await transport.send({ method: "GET", path, headers: { host: new URL(url).host }, signal });
  } catch (error) {
    if (isTransportError(error)) throw unclassified(error.message);
    throw error;
  }
}

async function refusal({ status, body }: TransportResponse, name: string): Promise<StatusError> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
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
