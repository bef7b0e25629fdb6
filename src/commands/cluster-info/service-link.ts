import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

export function serviceTitle({ metadata }: KubeObject): string {
  return metadata?.labels?.["kubernetes.io/name"] || (metadata?.name ?? "");
}

/** Every port of its load balancer, each followed by a blank; else the API server's proxy to its first port. */
export function serviceLink({ metadata, spec, status }: KubeObject, server: string): string {
  const ports = objects(fieldOf(spec, "ports"));
  const [ingress] = objects(fieldOf(fieldOf(status, "loadBalancer"), "ingress"));
  if (ingress) {
    const host = text(ingress["ip"]) || text(ingress["hostname"]);
    return ports.map((port) => `http://${host}:${JSON.stringify(port["port"])} `).join("");
  }
  const name = metadata?.name ?? "";
  const proxied = ports[0] ? joinSchemeNamePort(ports[0], name) : name;
  return `${server}/api/v1/namespaces/${metadata?.namespace ?? ""}/services/${proxied}/proxy`;
}

/** "name:port", or "https:name:port" where the port looks like TLS; the name alone when its port has none. */
function joinSchemeNamePort(port: JsonObject, name: string): string {
  const portName = text(port["name"]);
  if (portName === "https" || port["port"] === 443) return `https:${name}:${portName}`;
  return portName === "" ? name : `${name}:${portName}`;
}

function fieldOf(value: unknown, field: string): JsonValue | undefined {
  return isJsonObject(value) ? value[field] : undefined;
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
