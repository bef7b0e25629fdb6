import { sourceAddresses } from "../audit/source-addresses.js";
import { labelsOf } from "../metrics/request-labels.js";
import type { ApiRequest } from "../request/api-request.js";
import type { Answer } from "../request/observed-answer.js";
import type { SpanFields } from "../../machinery/tracing/request-span.js";

/** The fields that kube-apiserver puts into the span of a request's verb, and into the log of slow requests. */
export function verbFields(request: ApiRequest): SpanFields {
  const { exchange, info } = request;
  const { verb, scope } = labelsOf(request);
  return {
    accept: exchange.headers["accept"] ?? "",
    "audit-id": auditIdOf(request),
    client: sourceAddresses(exchange)[0] ?? "unknown",
    "api-group": info.apiGroup,
    "api-version": info.apiVersion,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    protocol: exchange.protocol ?? "",
    resource: info.resource,
    scope,
    url: exchange.path,
    "user-agent": cut(exchange.headers["user-agent"] ?? ""),
    verb,
  };
}

const LONGEST_AGENT = 1024;

const cut = (agent: string): string =>
  agent.length > LONGEST_AGENT ? `${agent.slice(0, LONGEST_AGENT)}...TRUNCATED` : agent;

const LONGEST_ID = 64;

/** The id of a request in traces: truncated, because a client may have sent a longer one. */
export const auditIdOf = ({ auditId }: ApiRequest): string => auditId.slice(0, LONGEST_ID);

/** The name of a request's span: the method, and for a resource the path with placeholders. */
export function spanName({ exchange, info }: ApiRequest): string {
  if (!info.isResourceRequest) return exchange.method;
  const group = info.apiGroup === "" ? "/api" : `/apis/${info.apiGroup}`;
  const namespace = info.namespace === "" ? "" : "/namespaces/{:namespace}";
  const name = info.name === "" ? "" : "/{:name}";
  const subresource = info.subresource === "" ? "" : `/${info.subresource}`;
  return `${exchange.method} ${group}/${info.apiVersion}${namespace}/${info.resource}${name}${subresource}`;
}

/** The fields of OpenTelemetry's conventions for a server's request, as Go's otelhttp sets them, and the two that kube-apiserver adds. */
export function requestFields(request: ApiRequest): SpanFields {
  const { exchange } = request;
  const { headers, authority = headers["host"] ?? "", protocol, scheme, path } = exchange;
  const [, host = "", port = ""] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  const [client] = sourceAddresses(exchange);
  const agent = headers["user-agent"];
  return {
    "http.request.method": exchange.method,
    "server.address": host.replace(/^\[|\]$/g, ""),
    ...(scheme !== undefined && { "url.scheme": scheme }),
    ...(port !== "" && { "server.port": Number(port) }),
    ...(exchange.remoteAddress !== "" && { "network.peer.address": exchange.remoteAddress }),
    ...(agent !== undefined && { "user_agent.original": agent }),
    ...(client !== undefined && { "client.address": client }),
    "url.path": path,
    ...(protocol !== undefined && { "network.protocol.version": protocol === "HTTP/2.0" ? "2.0" : "1.1" }),
    "http.target": exchange.uri,
    "audit-id": auditIdOf(request),
  };
}

export const answerFields = ({ status, bytes }: Answer): SpanFields => ({
  ...(status !== undefined && { "http.response.status_code": status }),
  ...(bytes > 0 && { "http.response.body.size": bytes }),
});
