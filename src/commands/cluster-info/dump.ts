import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { podLog } from "../../actions/pod-log.js";
import { pathComponent } from "../../base/files/path-component.js";
import { PathError } from "../../base/files/path-error.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { allNamespacesFlag } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { containerNames } from "../../polymorphic-helpers/pod-containers.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { genericServerResponse, isStatusError } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import { listItems, type Printer } from "../../printers/printer.js";
import { Helper } from "../../resource/helper.js";

export interface DumpOptions {
  readonly client: () => Promise<RestClient>;
  /** Undefined: all of them. */
  readonly namespaces: readonly string[] | undefined;
  readonly printer: Printer;
  /** ".json". */
  readonly extension: string;
  /** "" and "-" are stdout. */
  readonly folder: string;
  readonly cwd: string;
  readonly streams: Streams;
}

export function clusterInfoDumpCommand(run = runDump): Command {
  return {
    use: "dump [flags]",
    description: `Print what helps to find out what is wrong with a cluster: its nodes, and of the current namespace and kube-system the
events, services, workloads, pods and the logs of the pods.

--output-directory makes a file of each list, in a directory for each namespace.`,
    examples: `# Print it all
{{program}} cluster-info dump

# Write it to files
{{program}} cluster-info dump --output-directory=/path/to/cluster-state

# All namespaces
{{program}} cluster-info dump --all-namespaces

# Some namespaces, to files
{{program}} cluster-info dump --namespaces default,kube-system --output-directory=/path/to/cluster-state`,
    flags: [
      ...printFlags.map((flag) => (flag.name === "output" ? { ...flag, default: "json" } : flag)),
      {
        name: "output-directory",
        type: "string",
        usage: "Where the files go. Empty or '-' prints everything to stdout",
      },
      { name: "namespaces", type: "stringSlice", usage: "The namespaces to dump, separated by commas" },
      { ...allNamespacesFlag, usage: "Dump all namespaces, whatever --namespaces says" },
      {
        name: "pod-running-timeout",
        type: "duration",
        default: "20s",
        usage: "How long to wait until there is a pod that runs, with a unit (5s, 2m, 3h); more than zero",
      },
    ],
    outputMustArrive: true,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, { flags }: Invocation): Promise<DumpOptions> {
  const folder = flags.string("output-directory");
  const toStdout = folder === "" || folder === "-";
  const print = {
    ...readPrintRequest(flags, factory),
    encode: (object: KubeObject) => encodeJson(object),
    look: toStdout ? factory.look : undefined,
  };
  const printer = printerFor(print);
  await factory.clientConfig();
  if (flags.duration("pod-running-timeout") <= 0) throw new Error("--pod-running-timeout must be higher than zero");
  const { namespace } = await factory.namespace();
  const given = flags.strings("namespaces");
  const chosen = given.length === 0 ? ["kube-system", namespace] : given;
  return {
    client: factory.restClient,
    namespaces: flags.bool("all-namespaces") ? undefined : chosen,
    printer,
    extension: print.output === "json" || print.output === "yaml" ? `.${print.output}` : ".txt",
    folder,
    cwd: factory.cwd,
    streams: factory.streams,
  };
}

const core = (resource: string) => ({ group: "", version: "v1", resource });
const apps = (resource: string) => ({ group: "apps", version: "v1", resource });

/** What is listed of a namespace, and the file it goes to. Pods come last: their logs follow. */
const LISTS = [
  { resource: core("events"), file: "events" },
  { resource: core("replicationcontrollers"), file: "replication-controllers" },
  { resource: core("services"), file: "services" },
  { resource: apps("daemonsets"), file: "daemonsets" },
  { resource: apps("deployments"), file: "deployments" },
  { resource: apps("replicasets"), file: "replicasets" },
  { resource: core("pods"), file: "pods" },
] as const;

export async function runDump(options: DumpOptions): Promise<void> {
  const dump = new Dump(options, await options.client());
  const nodes = await dump.list(core("nodes"), "");
  dump.print(nodes, "nodes");
  for (const namespace of options.namespaces ?? (await dump.namespaces())) {
    for (const { resource, file } of LISTS) {
      const list = await dump.list(resource, namespace);
      dump.print(list, join(pathComponent(namespace), file));
      if (file === "pods") for (const pod of listItems(list) ?? []) await dump.logs(pod, namespace);
    }
  }
  const { folder, streams } = options;
  if (folder !== "" && folder !== "-") streams.out.write(`Cluster info dumped to ${folder}\n`);
}

/** kubectl reads these lists as protobuf, where a list without items and no list at all are one thing. */
const asFromProtobuf = (list: KubeObject): KubeObject =>
  listItems(list)?.length === 0 ? { ...list, items: null } : list;

class Dump {
  constructor(
    private readonly options: DumpOptions,
    private readonly client: RestClient,
  ) {}

  list(resource: ReturnType<typeof core>, namespace: string): Promise<KubeObject> {
    const mapping = { resource, kind: { ...resource, kind: "" }, namespaced: namespace !== "" };
    return new Helper(this.client, mapping, { typed: true }).list(namespace, {});
  }

  async namespaces(): Promise<readonly string[]> {
    const list = await this.list(core("namespaces"), "");
    return (listItems(list) ?? []).map(({ metadata }) => metadata?.name ?? "");
  }

  /** Throws what the printer refuses, after the file was made. */
  print(list: KubeObject, file: string): void {
    const write = this.open(`${file}${this.options.extension}`);
    this.options.printer.print(this.options.extension === ".txt" ? list : asFromProtobuf(list), write);
  }

  async logs(pod: KubeObject, namespace: string): Promise<void> {
    const { name = "", namespace: where = "" } = pod.metadata ?? {};
    const write = this.open(join(pathComponent(namespace), pathComponent(name), "logs.txt"));
    for (const container of [...containerNames(pod, "initContainers"), ...containerNames(pod, "containers")]) {
      const title = `logs for container ${container} of pod ${where}/${name}`;
      write(`==== START ${title} ====\n`);
      try {
        const pieces: Uint8Array[] = [];
        for await (const piece of podLog(this.client, { namespace: where, pod: name, options: { container } })) {
          pieces.push(piece);
        }
        write(Buffer.concat(pieces));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        write(`Request log error: ${asUnread(error, name).message}\n`);
      }
      write(`==== END ${title} ====\n`);
    }
  }

  /** Where a file goes, or stdout. */
  private open(file: string): (text: string | Uint8Array) => void {
    const { folder, cwd, streams } = this.options;
    if (folder === "" || folder === "-") return (text) => void streams.out.write(text);
    const shown = join(folder, file);
    const path = resolve(cwd, shown);
    makeFolders(cwd, dirname(shown));
    attempt("open", shown, () => writeFileSync(path, "", { mode: 0o600 }));
    return (text) => writeFileSync(path, text, { flag: "a" });
  }
}

/** kubectl does not read what the server says of a log it does not have: only the code counts. */
function asUnread(error: Error, name: string): Error {
  if (!isStatusError(error)) return error;
  const resource = { group: "", resource: "pods" };
  return genericServerResponse({ code: error.code, verb: "GET", resource, name, serverMessage: "unknown" });
}

/** Creates missing folders, for their owner alone: logs may hold credentials. Throws Go's mkdir error for the first path that is not a folder. */
function makeFolders(cwd: string, shown: string): void {
  const path = resolve(cwd, shown);
  const above = dirname(shown);
  if (!existsSync(path) && above !== shown) makeFolders(cwd, above);
  if (!existsSync(path)) attempt("mkdir", shown, () => mkdirSync(path, { mode: 0o700 }));
  if (!statSync(path).isDirectory()) throw new PathError("mkdir", shown, { code: "ENOTDIR" });
}

function attempt(operation: string, path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw new PathError(operation, path, error);
  }
}
