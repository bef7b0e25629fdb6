import { type ListenAddress, parseAddresses, parsePorts } from "../../actions/forward-ports/port-spec.js";
import { type ForwardEvent, LostConnectionError, PortForwarder } from "../../actions/forward-ports/port-forwarder.js";
import { requireType } from "../../actions/typed/typed-object.js";
import type { Command, Invocation, Completer } from "../../cli/command.js";
import { podRunningTimeoutFlag } from "../../cli/container-session/flags.js";
import { usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { klogError, type LoggedError } from "../../machinery/text/klog/klog.js";
import type { Info } from "../../resource/info.js";
import {
  connectTarget,
  findTarget,
  type ForwardHost,
  type FoundTarget,
  requireRunning,
  splitTargets,
  type TargetOperands,
} from "./targets.js";
import { NO_FILE_COMP } from "../../cli/completion/directive.js";
import { completePods, podOf } from "../../cli/completion/pod-completers.js";
import { containerPorts, servicePorts } from "../../polymorphic-helpers/named-ports.js";
import { number } from "../../machinery/meta/access.js";

export interface PortForwardOptions {
  readonly host: ForwardHost;
  readonly targets: readonly { readonly operands: TargetOperands; readonly found: FoundTarget }[];
  /** IP addresses and localhost. */
  readonly addresses: readonly string[];
  readonly reconnect: boolean;
  readonly streams: Streams;
  /** A line of klog's for a fault of one connection. */
  readonly logError: (error: LoggedError) => void;
  readonly signal: AbortSignal;
}

export function portForwardCommand(run = runPortForward): Command {
  return {
    use: "port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    description: `Forward connections to local ports to the ports of a pod, until it is interrupted or the pod is gone.

 The pod is named, or is one of those that a resource runs, which is the most active one. Ports have numbers or the names that the pod, or the service, gives them. Further targets may follow with their ports.

 With --reconnect a lost connection is made again, to another pod where the first is gone, while the local ports stay open.`,
    examples: `# The ports 5000 and 6000 of a pod, on the same ports here
{{program}} port-forward pod/mypod 5000 6000

# Of a pod that a deployment runs
{{program}} port-forward deployment/mydeployment 5000 6000

# The port behind the port https of a service, on port 8443 here
{{program}} port-forward service/myservice 8443:https

# Port 5000 of a pod, on port 8888 here
{{program}} port-forward pod/mypod 8888:5000

# The same for other machines, too
{{program}} port-forward --address 0.0.0.0 pod/mypod 8888:5000

# Here and on one address of this machine
{{program}} port-forward --address localhost,10.19.21.23 pod/mypod 8888:5000

# On a free port, which is printed
{{program}} port-forward pod/mypod :5000

# Through rollouts and restarts
{{program}} port-forward --reconnect deployment/mydeployment 5000

# Several targets
{{program}} port-forward service/web 8080:http statefulset/db 5432`,
    flags: [
      podRunningTimeoutFlag,
      {
        name: "address",
        type: "stringSlice",
        default: "[localhost]",
        usage:
          "The addresses to listen on: IP addresses, or localhost, which is 127.0.0.1 and ::1 or one of them where the other cannot be had",
      },
      {
        name: "reconnect",
        type: "bool",
        usage:
          "Connect again when the connection is lost, with another pod where there is one, and end no other connection for the fault of one",
      },
    ],
    namesFlags: true,
    handlesSignals: true,
    // As kubectl, which handles SIGINT alone.
    ownExitCode: ["SIGINT"],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completePortForward,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<PortForwardOptions> {
  const { args, flags, signal } = invocation;
  if (args.length < 2) {
    throw usageError(invocation, "TYPE/NAME and list of ports are required for port-forward");
  }
  const { streams, env, clock, pid } = factory;
  const { namespace } = await factory.namespace();
  const podTimeout = flags.duration("pod-running-timeout");
  if (podTimeout <= 0) throw usageError(invocation, "--pod-running-timeout must be higher than zero");
  const { timeout } = await factory.clientConfig();
  await factory.keepMemoryFlat();
  const host: ForwardHost = {
    client: await factory.restClient(),
    namespace,
    podTimeout,
    webSockets: env["KUBECTL_PORT_FORWARD_WEBSOCKETS"]?.toLowerCase() !== "false",
    requestTimeout: timeout,
    find: (name) => find(factory, namespace, name),
  };
  const targets = [];
  for (const operands of splitTargets(args))
    targets.push({ operands, found: await findTarget(operands, host, signal) });
  return {
    host,
    targets,
    addresses: flags.strings("address"),
    reconnect: flags.bool("reconnect"),
    streams,
    logError: (error) => void streams.err.write(klogError(error, new Date(clock.now()), pid)),
    signal,
  };
}

async function find(factory: Factory, namespace: string, name: string): Promise<Info> {
  const builder = (await factory.builder()).continueOnError().namespaceParam(namespace).defaultNamespace();
  const result = await builder.checkEach(requireType).resourceNames("pods", [name]).do();
  const infos = await result.infos();
  const [info] = infos;
  if (info === undefined || infos.length > 1) {
    throw new Error("cannot attach to *v1.List: selector for *v1.List not implemented");
  }
  return info;
}

export async function runPortForward(options: PortForwardOptions): Promise<void> {
  const { host, targets, signal } = options;
  for (const { found } of targets) await requireRunning(found.pod, host, signal);
  const addresses = parseAddresses(options.addresses);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const forwarders = targets.map((target) => forward(target, addresses, { ...options, signal: either }));
  try {
    await Promise.all(forwarders);
  } catch (error) {
    // What still runs closes its ports before the command ends.
    stop.abort();
    await Promise.allSettled(forwarders);
    throw error;
  }
}

async function forward(
  { operands, found }: PortForwardOptions["targets"][number],
  addresses: readonly ListenAddress[],
  options: PortForwardOptions,
): Promise<void> {
  const { host, targets, reconnect, signal } = options;
  let current = found;
  let first = true;
  const nameOf = ({ pod }: FoundTarget): string => `pod/${pod.metadata?.name ?? ""}`;
  const several = targets.length > 1;
  const forwarder = new PortForwarder({
    ports: parsePorts(found.ports),
    addresses,
    reconnect,
    connect: async (stop) => {
      if (!first) {
        current = await findTarget(operands, host, stop);
        await requireRunning(current.pod, host, stop);
      }
      const connected = await connectTarget(current, host, stop);
      first = false;
      return connected;
    },
    onEvent: (event) => tell(event, { ...options, pod: nameOf(current), several }),
  });
  try {
    await forwarder.run(signal);
  } catch (error) {
    if (several && error instanceof LostConnectionError) {
      throw new Error(`lost connection to ${nameOf(current)}`, { cause: error });
    }
    throw error;
  }
}

interface Teller extends Pick<PortForwardOptions, "streams" | "logError"> {
  /** The pod that is connected. */
  readonly pod: string;
  /** There are several targets, which need their names. */
  readonly several: boolean;
}

/** Where client-go 0.37.1 writes of what may go wrong with a connection. */
const SOURCES = {
  "error stream": "portforward.go:476",
  "data stream": "portforward.go:501",
  "to local": "portforward.go:512",
  "from local": "portforward.go:525",
  "remote read": "portforward.go:546",
  remote: "portforward.go:549",
} as const;

function tell(event: ForwardEvent, { streams: { out, err }, logError, pod, several }: Teller): void {
  switch (event.type) {
    case "listening":
      out.write(`Forwarding from ${event.address} -> ${several ? `${pod}:` : ""}${event.port.remote}\n`);
      break;
    case "not listening":
      err.write(`Unable to listen on port ${event.port.local}: ${event.fault}\n`);
      break;
    case "connection":
      out.write(`Handling connection for ${event.port.local}\n`);
      break;
    case "fault": {
      const { step, message, error, port } = event.fault;
      const values = { localPort: port.local, remotePort: port.remote };
      logError({ source: SOURCES[step], message, error, values });
      break;
    }
    case "lost":
      err.write(`Lost connection to ${pod}, connecting again\n`);
      break;
    case "not reconnected":
      err.write(`Cannot connect yet: ${event.error.message}\n`);
      break;
    case "reconnected":
      err.write(`Connected again, to ${pod}\n`);
      break;
  }
}

const SERVICES = new Set(["service", "services", "svc"]);

/** Completes a pod or TYPE/NAME, then one of its ports, after the typed local port or with the same local port. */
export const completePortForward: Completer = async (factory, invocation, toComplete) => {
  const { args } = invocation;
  const [target] = args;
  if (target === undefined) return completePods(factory, invocation, toComplete);
  const ports = args.length === 1 ? await portsOf(factory, target).catch(() => []) : [];
  const [local = ""] = toComplete.split(":");
  const candidates = ports.map((port) => `${toComplete === "" ? port : local}:${port}`);
  return { candidates: candidates.filter((candidate) => candidate.startsWith(toComplete)), directive: NO_FILE_COMP };
};

async function portsOf(factory: Factory, target: string): Promise<readonly number[]> {
  const [type = "", name] = target.split("/");
  if (name !== undefined && SERVICES.has(type)) {
    const { namespace } = await factory.namespace();
    const builder = (await factory.builder()).namespaceParam(namespace).defaultNamespace();
    const [info] = await (await builder.resourceNames("services", [name]).do()).infos();
    return servicePorts(info?.object ?? {}).map(({ port }) => number(port));
  }
  const pod = await podOf(factory, target);
  return containerPorts(pod ?? {}, "containers").map(({ containerPort }) => number(containerPort));
}
