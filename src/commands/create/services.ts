import type { Invocation, Command } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { strconvError } from "../../base/text/go-errors.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { dns1123SubdomainErrors, portNameErrors, portNumberErrors } from "../../machinery/validation/names.js";
import {
  completeGenerated,
  createGenerated,
  type GeneratedOptions,
  namespacedMetadata,
  generatedFlags,
} from "./generated.js";

// What the four types of services have in common.

export interface CreateServiceOptions extends GeneratedOptions {
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  /** "port", or "port:targetPort". */
  readonly tcp: readonly string[];
  readonly clusterIp?: string;
  /** 0: the server chooses. */
  readonly nodePort?: number;
  readonly externalName?: string;
}

export const tcpFlag: FlagSpec = {
  name: "tcp",
  type: "stringSlice",
  usage: "Port of the service and where it goes: '<port>:<targetPort>'",
};

export async function completeService(
  factory: Factory,
  invocation: Invocation,
  own: Pick<CreateServiceOptions, "type" | "clusterIp" | "nodePort" | "externalName">,
): Promise<CreateServiceOptions> {
  const generated = await completeGenerated(factory, invocation);
  // kubectl takes --save-config here and does not heed it.
  const options = { ...generated, saveConfig: false, tcp: invocation.flags.strings("tcp"), ...own };
  if (options.clusterIp !== "None" && options.tcp.length === 0 && options.type !== "ExternalName") {
    throw new Error("at least one tcp port specifier must be provided");
  }
  const { externalName } = options;
  if (externalName !== undefined && dns1123SubdomainErrors(externalName).length > 0) {
    throw new Error(`invalid service external name ${externalName}`);
  }
  return options;
}

export async function runCreateService(options: CreateServiceOptions): Promise<void> {
  await createGenerated(service(options), options, `failed to create ${options.type} service:`);
}

function service(options: CreateServiceOptions): KubeObject {
  const { name, type, tcp, externalName, clusterIp = "", nodePort = 0 } = options;
  const app = { app: name };
  const ports = tcp.map((text) => ({
    name: text.replaceAll(":", "-"),
    protocol: "TCP",
    ...parsePorts(text),
    // As Go cuts an int to 32 bits.
    nodePort: Number(BigInt.asIntN(32, BigInt(nodePort))),
  }));
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: { ...namespacedMetadata(options), labels: app },
    spec: { type, selector: app, ports, externalName, clusterIP: clusterIp },
  };
}

function parsePorts(text: string): { readonly port: number; readonly targetPort: number | string } {
  const [first = "", second] = text.split(":");
  const port = parsePort(first);
  if (second === undefined) return { port, targetPort: port };
  const number = /^[+-]?[0-9]+$/.test(second) ? BigInt(second.replace("+", "")) : undefined;
  const isInt = number !== undefined && BigInt.asIntN(64, number) === number;
  const faults = isInt ? portNumberErrors(Number(number)) : portNameErrors(second);
  if (faults.length > 0) throw new Error(faults.join(","));
  return { port, targetPort: isInt ? Number(number) : second };
}

/** Of 16 bits, 0 included. */
function parsePort(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw strconvError("ParseUint", text, "invalid syntax");
  const port = Number(text);
  if (port > 65535) throw strconvError("ParseUint", text, "value out of range");
  return port;
}

export function createClusterIPCommand(run = runCreateService): Command {
  return {
    use: "clusterip NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
    description: "Create a service with an address inside the cluster.",
    examples: `# Create the service my-cs
{{program}} create service clusterip my-cs --tcp=5678:8080

# Create it without an address of its own
{{program}} create service clusterip my-cs --clusterip="None"`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "clusterip", type: "string", usage: "Address of the service; None for a headless one" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "ClusterIP",
          clusterIp: invocation.flags.string("clusterip"),
        }),
      ),
  };
}

export function createNodePortCommand(run = runCreateService): Command {
  return {
    use: "nodeport NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    description: "Create a service with a port on every node.",
    examples: `# Create the service my-ns
{{program}} create service nodeport my-ns --tcp=5678:8080`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "node-port", type: "int", usage: "The port on the nodes; 0 leaves it to the server" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "NodePort",
          nodePort: invocation.flags.number("node-port"),
        }),
      ),
  };
}

export function createLoadBalancerCommand(run = runCreateService): Command {
  return {
    use: "loadbalancer NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    description: "Create a service with a load balancer before it.",
    examples: `# Create the service my-lbs
{{program}} create service loadbalancer my-lbs --tcp=5678:8080`,
    flags: [...generatedFlags, tcpFlag],
    execute: async (factory, invocation) => run(await completeService(factory, invocation, { type: "LoadBalancer" })),
  };
}

export function createExternalNameCommand(run = runCreateService): Command {
  return {
    use: "externalname NAME --external-name external.name [--dry-run=server|client|none]",
    description: "Create a service that is another name of a DNS address outside of the cluster.",
    examples: `# Create the service my-ns, which is bar.com
{{program}} create service externalname my-ns --external-name bar.com`,
    flags: [
      ...generatedFlags,
      tcpFlag,
      { name: "external-name", type: "string", required: true, usage: "The DNS name it stands for" },
    ],
    execute: async (factory, invocation) =>
      run(
        await completeService(factory, invocation, {
          type: "ExternalName",
          externalName: invocation.flags.string("external-name"),
        }),
      ),
  };
}
