import type { PodLogOptions } from "../../actions/pod-log.js";
import { requireType } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completePodsAndContainers } from "../../cli/completion/pod-completers.js";
import { silentExit, usageError } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";
import { selectorFlag } from "../../cli/flags/resource-flags.js";
import { hintAtNamespace } from "../../cli/advice/hints.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { canonicalizeTime } from "../../machinery/text/go/go-time.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { Info } from "../../resource/info.js";
import type { Look } from "../../printers/look.js";
import { isList, listItems } from "../../resource/lists.js";
import { readInOrder, readTogether } from "./log-reader.js";
import { logSources } from "./log-sources.js";

export interface LogsOptions {
  readonly client: () => Promise<RestClient>;
  /** A pod, what runs pods, or a list of pods. */
  readonly target: Info;
  readonly log: PodLogOptions;
  readonly allContainers: boolean;
  readonly allPods: boolean;
  /** kubets' own: pods and runs of containers that come later are followed too. */
  readonly watchPods: boolean;
  /** -l, or "". */
  readonly selector: string;
  readonly prefix: boolean;
  readonly ignoreErrors: boolean;
  readonly maxRequests: number;
  /** Milliseconds. */
  readonly podTimeout: number;
  readonly streams: Streams;
  readonly look: Look;
  readonly signal: AbortSignal;
}

const USE = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]";

const flags: readonly FlagSpec[] = [
  { name: "all-pods", type: "bool", usage: "The logs of all pods; turns --prefix on" },
  { name: "all-containers", type: "bool", usage: "The logs of all containers of a pod" },
  { name: "follow", short: "f", type: "bool", usage: "Go on with what is logged from now on" },
  { name: "timestamps", type: "bool", usage: "Show when each line was logged" },
  { name: "limit-bytes", type: "int64", default: "0", usage: "At most so many bytes of a log; 0 is no limit" },
  {
    name: "previous",
    short: "p",
    type: "bool",
    usage: "The log of the container's run before this one, if there was one",
  },
  {
    name: "tail",
    type: "int64",
    default: "-1",
    usage: "At most so many of the last lines. -1 is all of them; with a selector the default is 10",
  },
  { name: "ignore-errors", type: "bool", usage: "Print errors and go on with the other logs" },
  { name: "since-time", type: "string", usage: "Only what was logged after this time (RFC 3339). Not with --since" },
  {
    name: "since",
    type: "duration",
    default: "0s",
    usage: "Only what was logged in the last 5s, 2m, or 3h. Not with --since-time",
  },
  { name: "container", short: "c", type: "string", usage: "The container whose log is printed" },
  {
    name: "insecure-skip-tls-verify-backend",
    type: "bool",
    usage: "The server does not verify which kubelet it takes the log from. Somebody else could be in its place",
  },
  {
    name: "pod-running-timeout",
    type: "duration",
    default: "20s",
    usage: "How long to wait until there is a pod that runs, with a unit (5s, 2m, 3h); more than zero",
  },
  selectorFlag,
  {
    name: "max-log-requests",
    type: "int",
    default: "5",
    usage: "At most so many logs are followed at the same time",
  },
  {
    name: "watch-pods",
    type: "bool",
    usage:
      "With -f: go on with pods that come later and containers that start again, until interrupted; turns --prefix on",
  },
  { name: "prefix", type: "bool", usage: "Begin each line with the pod and the container it comes from" },
];

export function logsCommand(run = runLogs): Command {
  return {
    use: USE,
    description: `Print the log of a container: of a pod, or of one of the pods that a resource runs.

The container need not be named when the pod has only one, or says which one is its default.`,
    examples: `# What the only container of a pod has logged
{{program}} logs nginx

# The same, each line after the names of pod and container
{{program}} logs nginx --prefix

# All containers of a pod
{{program}} logs nginx --all-containers=true

# All pods of a deployment
{{program}} logs deployment/nginx --all-pods=true

# The pods with the label app=nginx, all containers
{{program}} logs -l app=nginx --all-containers=true

# The run of the container ruby before this one
{{program}} logs -p -c ruby web-1

# Follow a log
{{program}} logs -f -c ruby web-1

# Follow what a deployment runs, through restarts and rollouts
{{program}} logs -f --watch-pods deployment/nginx

# The last 20 lines
{{program}} logs --tail=20 nginx

# The last hour
{{program}} logs --since=1h nginx

# The first container of a job
{{program}} logs job/hello`,
    flags,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completePodsAndContainers,
    handlesSignals: true,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<LogsOptions> {
  const { args, flags: given, signal } = invocation;
  const selector = given.string("selector");
  if ((args.length === 0 && selector === "") || args.length > 2) {
    throw usageError(invocation, `expected '${USE}'.\nPOD or TYPE/NAME is a required argument for the logs command`);
  }
  if (args.length === 1 && selector !== "") {
    throw usageError(invocation, "only a selector (-l) or a POD name is allowed");
  }
  const { namespace } = await factory.namespace();
  const podTimeout = given.duration("pod-running-timeout");
  if (podTimeout <= 0) throw new Error("--pod-running-timeout must be higher than zero");
  const log = readLogOptions(given, args[1], selector);
  const target = await findTarget(factory, signal, namespace, args[0], selector);
  validate(given, args, log);
  const allPods = given.bool("all-pods");
  const watchPods = given.bool("watch-pods");
  if (watchPods && log.follow !== true) throw new Error("--watch-pods requires --follow");
  if (watchPods && log.previous === true) throw new Error("--watch-pods cannot be used with --previous");
  return {
    client: factory.restClient,
    target,
    log,
    allContainers: given.bool("all-containers"),
    allPods,
    watchPods,
    selector,
    prefix: given.bool("prefix") || allPods || (watchPods && !given.changed("prefix")),
    ignoreErrors: given.bool("ignore-errors"),
    maxRequests: given.number("max-log-requests"),
    podTimeout,
    streams: factory.streams,
    look: factory.look,
    signal,
  };
}

const LAST_LINES_OF_SELECTED = 10;

function readLogOptions(given: Flags, container: string | undefined, selector: string): PodLogOptions {
  const since = given.duration("since");
  const sinceTime = given.string("since-time");
  const tail = given.number("tail");
  const limitBytes = given.number("limit-bytes");
  const selected = selector !== "" && tail === -1 && !given.changed("tail");
  return {
    container: container ?? given.string("container"),
    follow: given.bool("follow"),
    previous: given.bool("previous"),
    timestamps: given.bool("timestamps"),
    insecureSkipTLSVerifyBackend: given.bool("insecure-skip-tls-verify-backend"),
    sinceTime: sinceTime === "" ? undefined : canonicalizeTime(sinceTime),
    limitBytes: limitBytes === 0 ? undefined : limitBytes,
    sinceSeconds: since === 0 ? undefined : Math.sign(since) * Math.round(Math.abs(since) / 1000),
    tailLines: selected ? LAST_LINES_OF_SELECTED : tail === -1 ? undefined : tail,
  };
}

async function findTarget(
  factory: Factory,
  signal: AbortSignal,
  namespace: string,
  name: string | undefined,
  selector: string,
): Promise<Info> {
  const builder = (await factory.builder()).namespaceParam(namespace).defaultNamespace().singleResourceType();
  builder.transformRequests({ accept: "application/json, */*" }).checkEach(requireType);
  if (name !== undefined && name !== "") builder.resourceNames("pods", [name]);
  if (selector !== "") builder.resourceTypes(["pods"]).labelSelector(selector);
  let infos: readonly Info[];
  try {
    infos = await (await builder.do()).infos();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { message } = error as Error;
    throw new Error(`error from server (NotFound): ${message} in namespace "${namespace}"`, { cause: error });
  }
  const [info] = infos;
  if (info === undefined || (selector === "" && infos.length !== 1)) throw new Error("expected a resource");
  const { object = {} } = info;
  if (selector !== "" && isList(object) && listItems(object).length === 0) {
    factory.streams.err.write(`No resources found in ${namespace} namespace.\n`);
    await hintAtNamespace(factory, signal);
  }
  return info;
}

function validate(given: Flags, args: readonly string[], log: PodLogOptions): void {
  const { container = "", sinceSeconds = 0, tailLines = 0, limitBytes = 0 } = log;
  if (log.sinceTime !== undefined && given.duration("since") !== 0) {
    throw new Error("at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
  if (given.bool("all-containers") && container !== "") {
    throw new Error(`--all-containers=true should not be specified with container name ${container}`);
  }
  if (given.changed("container") && args.length === 2) {
    throw new Error("only one of -c or an inline [CONTAINER] arg is allowed");
  }
  if (limitBytes < 0) throw new Error("--limit-bytes must be greater than 0");
  if (sinceSeconds < 0) throw new Error("--since must be greater than 0");
  if (tailLines < -1) throw new Error("--tail must be greater than or equal to -1");
}

export async function runLogs(options: LogsOptions): Promise<void> {
  const { target, log, streams, signal, maxRequests } = options;
  const client = await options.client();
  const say = (line: string): void => void streams.err.write(`${line}\n`);
  try {
    if (options.watchPods) {
      const { watchPods } = await import("./watch-pods.js");
      return await watchPods(target, { ...options, client, follow: true, say, out: streams.out, err: streams.err });
    }
    const requests = await logSources(target, { ...options, client, say });
    const follow = log.follow === true;
    const together = follow && requests.length > 1;
    if (together && requests.length > maxRequests) {
      throw new Error(
        `you are attempting to follow ${requests.length} log streams, but maximum allowed concurrency is ${maxRequests}, use --max-log-requests to increase the limit`,
      );
    }
    const reading = { ...options, client, follow, out: streams.out, err: streams.err };
    await (together ? readTogether : readInOrder)(requests, reading);
  } catch (error) {
    if (signal.aborted) throw silentExit();
    throw error;
  }
}
