import { attachablePod } from "../../actions/attachable-pod.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { loadTypedKinds, requireType } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeContainers, completePods } from "../../cli/completion/pod-completers.js";
import { runAndExit, sessionHost, type SessionHost } from "../../cli/container-session/container-command.js";
import { containerFlag, podRunningTimeoutFlag, sessionFlags } from "../../cli/container-session/flags.js";
import { endedBySignal, interruptible } from "../../cli/container-session/interrupt.js";
import { isRaw, openSessionStreams } from "../../cli/container-session/session-streams.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import {
  chosenContainer,
  hasContainer,
  noSuchContainer,
  requireUncompleted,
} from "../../polymorphic-helpers/pod-containers.js";
import { text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Look } from "../../printers/look.js";
import type { Info } from "../../resource/info.js";
import { isList } from "../../resource/lists.js";

export interface ExecOptions extends SessionHost {
  /** Finds the pod, or what runs pods. */
  readonly find: () => Promise<readonly Info[]>;
  readonly command: readonly string[];
  /** "" takes the pod's default container. */
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  /** Milliseconds to wait for a pod, where there is none. */
  readonly podTimeout: number;
  readonly look: Look;
}

export function execCommand(run = runExec): Command {
  return {
    use: "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    description: "Run a command in a container that runs.",
    examples: `# What date prints in the pod mypod, in its default container
{{program}} exec mypod -- date

# In its container ruby
{{program}} exec mypod -c ruby -- date

# A shell on this terminal
{{program}} exec mypod -c ruby -i -t -- bash -il

# What follows -- is the command with its own flags, not in quotes
{{program}} exec mypod -i -t -- ls -t /usr

# In a pod of a deployment
{{program}} exec deploy/mydeployment -- date

# In a pod of a service
{{program}} exec svc/myservice -- date`,
    flags: [
      podRunningTimeoutFlag,
      { name: "filename", short: "f", type: "stringSlice", usage: "File or URL that names what to run the command in" },
      containerFlag,
      ...sessionFlags,
    ],
    execute: async (factory, invocation) =>
      endedBySignal(complete(factory, invocation).then((options) => run(options))),
    completeArgs: completePods,
    completeFlags: { container: completeContainers },
    handlesSignals: true,
    namesFlags: true,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<ExecOptions> {
  const { args, argsLenAtDash, flags, signal } = invocation;
  const filenames = flags.strings("filename");
  const name = argsLenAtDash === 0 ? "" : (args[0] ?? "");
  // One word, the pod, may stand before the dashes.
  const isParted = argsLenAtDash === 0 || argsLenAtDash === 1;
  if (!isParted && (args.length > 1 || (args.length > 0 && filenames.length > 0))) {
    throw usageError(invocation, "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead");
  }
  const { namespace, enforced } = await factory.namespace();
  const podTimeout = flags.duration("pod-running-timeout");
  if (podTimeout <= 0) throw usageError(invocation, "--pod-running-timeout must be higher than zero");
  const command = isParted ? args.slice(argsLenAtDash) : [];
  const host = await sessionHost(factory, signal);
  if (name === "" && filenames.length === 0) throw new Error("pod, type/name or --filename must be specified");
  if (command.length === 0) throw new Error("you must specify at least one command for the container");
  return {
    ...host,
    find: async () => {
      const builder = (await factory.builder())
        .filenames(enforced, { filenames, recursive: false })
        .namespaceParam(namespace)
        .defaultNamespace()
        .checkEach(requireType);
      if (name !== "") builder.resourceNames("pods", [name]);
      if (filenames.length > 0) {
        const kinds = await loadTypedKinds({ retired: true });
        builder.decode((document) => readTyped(document, kinds));
      }
      return (await builder.do()).infos();
    },
    command,
    container: flags.string("container"),
    stdin: flags.bool("stdin"),
    tty: flags.bool("tty"),
    quiet: flags.bool("quiet"),
    podTimeout,
    look: factory.look,
  };
}

export async function runExec(options: ExecOptions): Promise<void> {
  const { streams, stdin, quiet, signal } = options;
  const say = (line: string): void => {
    if (!quiet) streams.err.write(`${line}\n`);
  };
  const pod = await interruptible(signal, findPod(options, say));
  const container = containerOf(pod, options.container, say);
  const raw = isRaw(options, streams, say);
  const session = await openSessionStreams({ ...options, raw, host: options });
  try {
    const { command } = options;
    const request = { pod, subresource: "exec", command, container, stdin, stderr: !raw, tty: raw } as const;
    const running = runAndExit(request, session.streams, options, signal);
    await interruptible(signal, running, stdin && streams.in.isTTY === true ? 1 : undefined);
  } finally {
    session.close();
  }
}

async function findPod(options: ExecOptions, say: (line: string) => void): Promise<KubeObject> {
  const { client, podTimeout, signal, streams } = options;
  const infos = (await options.find()).filter((info) => info.object !== undefined);
  const [info] = infos;
  if (info === undefined || infos.length > 1 || isList(info.object ?? {})) {
    throw new Error("cannot exec into multiple objects at a time");
  }
  const pod = await attachablePod(info, { client, timeout: podTimeout, signal });
  if (pod !== info.object && streams.err.isTTY === true) say(`Using pod/${pod.metadata?.name ?? ""}`);
  requireUncompleted(pod, "exec into");
  return pod;
}

function containerOf(pod: KubeObject, name: string, say: (line: string) => void): string {
  if (name === "") return text(chosenContainer(pod, "", say).container.name);
  if (hasContainer(pod, name)) return name;
  throw noSuchContainer(pod, name);
}
