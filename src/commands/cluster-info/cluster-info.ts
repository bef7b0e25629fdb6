import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Builder } from "../../resource/builder.js";
import { listItems } from "../../printers/printer.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

export interface ClusterInfoOptions {
  readonly program: string;
  readonly server: string;
  readonly namespace: string;
  readonly builder: () => Promise<Builder>;
  /** Names and addresses stand out, for people. */
  /** A colour as it is written to stdout, "" where none is wanted. */
  readonly code: (sequence: string) => string;
}

export function clusterInfoCommand(run = runClusterInfo): Command {
  return {
    use: "cluster-info [flags]",
    description:
      "Show where the control plane answers, and the services labelled kubernetes.io/cluster-service=true with it.",
    examples: `# Addresses of the control plane and of cluster services
{{program}} cluster-info`,
    flags: [],
    execute: async (factory, invocation) => run(await complete(factory, invocation), factory.streams),
  };
}

async function complete(factory: Factory, { flags }: Invocation): Promise<ClusterInfoOptions> {
  const { server } = await factory.clientConfig();
  const { colours, streams } = factory;
  return {
    program: factory.program,
    server,
    namespace: flags.string("namespace") || "kube-system",
    builder: () => factory.builder(),
    code: (sequence) => (colours.on(streams.out) ? colours.code(streams.out, sequence) : ""),
  };
}

/** Prints the cluster's services. The hint comes last even when the server cannot be reached. */
export async function runClusterInfo(options: ClusterInfoOptions, { out }: Streams): Promise<void> {
  const { server, namespace, program, code } = options;
  const [green, yellow, end] = ["\u001b[0;32m", "\u001b[0;33m", "\u001b[0m"].map(code);
  const print = (name: string, link: string) =>
    out.write(`${green}${name}${end} is running at ${yellow}${link}${end}\n`);
  try {
    const builder = await options.builder();
    const result = await builder
      .namespaceParam(namespace)
      .defaultNamespace()
      .labelSelector("kubernetes.io/cluster-service=true")
      .typeOrNameArgs(false, ["services"])
      .transformRequests({ accept: "application/json, */*" })
      .latest()
      .do();
    await result.visit(({ object }) => {
      print("Kubernetes control plane", server);
      const services: readonly KubeObject[] = (object && listItems(object)) ?? [];
      for (const service of services) print(serviceTitle(service), serviceLink(service, server));
      return Promise.resolve();
    });
  } finally {
    out.write(`\nTo further debug and diagnose cluster problems, use '${program} cluster-info dump'.\n`);
  }
}

export function serviceTitle({ metadata }: KubeObject): string {
  return metadata?.labels?.["kubernetes.io/name"] || (metadata?.name ?? "");
}

/**
 * The links of a service, each followed by a space: one per port of its load balancer, else one through the API server's proxy to
 * its first port.
 */
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
