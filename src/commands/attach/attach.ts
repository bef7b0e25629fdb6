import { attachablePod } from "../../actions/attachable-pod.js";
import { requireType } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completePods } from "../../cli/completion/pod-completers.js";
import { attachToContainer } from "../../cli/container-session/attach.js";
import { sessionHost, type SessionHost } from "../../cli/container-session/container-command.js";
import {
  containerFlag,
  detachKeysFlag,
  podRunningTimeoutFlag,
  sessionFlags,
} from "../../cli/container-session/flags.js";
import { endedBySignal, interruptible } from "../../cli/container-session/interrupt.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { requireUncompleted } from "../../polymorphic-helpers/pod-containers.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";

export interface AttachCommandOptions extends SessionHost {
  /** Finds the pod, or what runs pods. */
  readonly find: () => Promise<Info>;
  /** "" takes the pod's default container. */
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly detachKeys: string;
  /** Milliseconds to wait for a pod, where there is none. */
  readonly podTimeout: number;
  readonly commandName: string;
}

export function attachCommand(run = runAttach): Command {
  return {
    use: "attach (POD | TYPE/NAME) -c CONTAINER",
    description:
      "Attach to the program that runs in a container: its output comes here, and with -i the input goes there.",
    examples: `# The output of the pod mypod, of its default container
{{program}} attach mypod

# Of its container ruby
{{program}} attach mypod -c ruby

# Take over its terminal
{{program}} attach mypod -c ruby -i -t

# A pod of the replica set nginx
{{program}} attach rs/nginx`,
    flags: [podRunningTimeoutFlag, containerFlag, ...sessionFlags, detachKeysFlag],
    execute: async (factory, invocation) =>
      endedBySignal(complete(factory, invocation).then((options) => run(options))),
    completeArgs: completePods,
    handlesSignals: true,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<AttachCommandOptions> {
  const { args, flags, signal, commandPath } = invocation;
  const { namespace } = await factory.namespace();
  const podTimeout = flags.duration("pod-running-timeout");
  if (podTimeout <= 0) throw usageError(invocation, "--pod-running-timeout must be higher than zero");
  const host = await sessionHost(factory, signal);
  const [type = "", name] = args;
  if (args.length === 0) throw new Error("at least 1 argument is required for attach");
  if (args.length > 2) {
    throw new Error(
      `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(" ")}]`,
    );
  }
  return {
    ...host,
    find: async () => {
      const builder = (await factory.builder()).namespaceParam(namespace).defaultNamespace().checkEach(requireType);
      if (name === undefined) builder.resourceNames("pods", [type]);
      else builder.resourceNames(type, [name]);
      const [info] = await (await builder.do()).infos();
      if (info === undefined) throw new Error("there is nothing to attach to");
      return info;
    },
    container: flags.string("container"),
    stdin: flags.bool("stdin"),
    tty: flags.bool("tty"),
    quiet: flags.bool("quiet"),
    detachKeys: flags.string("detach-keys"),
    podTimeout,
    commandName: commandPath,
  };
}

export async function runAttach(options: AttachCommandOptions): Promise<void> {
  const pod = await interruptible(options.signal, findPod(options));
  await attachToContainer({ ...options, pod });
}

async function findPod({
  find,
  client,
  podTimeout,
  signal,
  quiet,
  streams,
}: AttachCommandOptions): Promise<KubeObject> {
  const info = await find();
  const pod = await attachablePod(info, { client, timeout: podTimeout, signal });
  if (pod !== info.object && !quiet && streams.err.isTTY === true) {
    streams.err.write(`Using pod/${pod.metadata?.name ?? ""}\n`);
  }
  requireUncompleted(pod, "attach");
  return pod;
}
