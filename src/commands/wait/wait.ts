import type { Command, Invocation } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/factory.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readFilenames, selectorFlag } from "../../cli/flags/resource-flags.js";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, localResourceError } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Printer } from "../../printers/printer.js";
import type { Result } from "../../resource/builder.js";
import { type Condition, parseConditions } from "./conditions.js";
import { untilCreated, untilGone, untilHolds } from "./until.js";

export interface WaitOptions {
  /** Finds the objects, each time anew. */
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly conditions: readonly Condition[];
  /** Milliseconds for all of it; 0 looks once. */
  readonly timeout: number;
  readonly printer: Printer;
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

const A_WEEK = 7 * 24 * 60 * 60 * 1000;

const flags: readonly FlagSpec[] = [
  ...printFlags,
  { name: "filename", short: "f", type: "stringSlice", usage: "File, directory or URL that names what to wait for" },
  {
    name: "recursive",
    short: "R",
    type: "bool",
    default: "true",
    usage: "Also read the directories below a directory named by -f",
  },
  selectorFlag,
  fieldSelectorFlag,
  allNamespacesFlag,
  allFlag,
  { name: "local", type: "bool", usage: "Take what the files say, without asking the server what it has" },
  {
    name: "timeout",
    type: "duration",
    default: "30s",
    usage: "How long to wait. Zero looks once and does not wait, less than zero is a week",
  },
  {
    name: "for",
    type: "stringArray",
    usage:
      "What to wait for: [create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath expression}'=[JSONPath value]]. " +
      "The value of a condition is true if none is given, and compared without regard to case. Several are waited for one after the other; create always comes first",
  },
];

export function waitCommand(run = runWait): Command {
  return {
    use: "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    description: `Wait until resources are as they are wanted: until a condition is in their status, until a field is there or has a value,
until they exist or are gone.

What holds is printed for each resource; --timeout limits the time for all of them.`,
    examples: `# Wait until the pod "busybox1" is Ready
{{program}} wait --for=condition=Ready pod/busybox1

# The value is true by default; another one stands after an equal sign
{{program}} wait --for=condition=Ready=false pod/busybox1

# Wait until a pod runs
{{program}} wait --for=jsonpath='{.status.phase}'=Running pod/busybox1

# Wait until a service has an ingress, whichever
{{program}} wait --for=jsonpath='{.status.loadBalancer.ingress}' service/loadbalancer

# Wait at most 30 seconds until a secret exists
{{program}} wait --for=create secret/busybox1 --timeout=30s

# Wait at most 60 seconds until a pod is gone
{{program}} wait --for=delete pod/busybox1 --timeout=60s

# Wait until a pod exists and is Ready
{{program}} wait --for=condition=Ready --for=create pod/busybox1`,
    flags,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    handlesSignals: true,
  };
}

async function complete(factory: Factory, { args, flags: given, signal }: Invocation): Promise<WaitOptions> {
  const printer = printerFor(readPrintRequest(given, factory), "condition met");
  await factory.clientConfig();
  const conditions = parseConditions(given.strings("for"));
  const timeout = given.duration("timeout");
  return {
    find: async () => {
      const { namespace, enforced } = await factory.namespace();
      const builder = await factory.builder();
      builder
        .namespaceParam(namespace)
        .defaultNamespace()
        .allNamespaces(given.bool("all-namespaces"))
        .filenames(enforced, readFilenames(given));
      if (given.bool("local")) {
        builder.local(true);
        if (args.length > 0) throw localResourceError();
      } else {
        builder
          .typeOrNameArgs(given.bool("all"), args)
          .labelSelector(given.string("selector"))
          .fieldSelector(given.string("field-selector"))
          .latest();
      }
      return builder.continueOnError().flatten().do();
    },
    client: factory.restClient,
    conditions,
    timeout: timeout < 0 ? A_WEEK : timeout,
    printer,
    streams: factory.streams,
    signal,
  };
}

/** One object after the other, each for all conditions; goes on after a failure. */
export async function runWait(options: WaitOptions): Promise<void> {
  const { conditions, printer, signal, streams, timeout } = options;
  const time = new AbortController();
  const timer = timeout > 0 ? setTimeout(() => time.abort(), Math.min(timeout, 2 ** 31 - 1)) : undefined;
  const deadline = AbortSignal.any([signal, time.signal]);
  try {
    if (conditions.some(({ type }) => type === "create")) await untilCreated(options.find, deadline, timeout > 0);
    await waitForAll();
  } catch (error) {
    if (signal.aborted) throw silentExit();
    throw error;
  } finally {
    clearTimeout(timer);
  }

  async function waitForAll(): Promise<void> {
    const forDelete = conditions.some(({ type }) => type === "delete");
    const result = await options.find();
    if (forDelete) result.ignoreErrors(isNotFound);
    let visited = 0;
    await result.visit(async (info) => {
      visited += 1;
      for (const condition of conditions) {
        const context = { client: await options.client(), deadline, once: timeout === 0 };
        let met: KubeObject;
        if (condition.type === "holds") met = await untilHolds(info, condition.check, context);
        else if (condition.type === "delete") met = await untilGone(info, context);
        else met = created(info.object);
        printQuietly(printer, met, (text) => void streams.out.write(text));
      }
    });
    if (visited === 0 && !forDelete) throw new Error("no matching resources found");
  }
}

/** kubectl does not tell what a printer refuses. */
function printQuietly(printer: Printer, object: KubeObject, out: (text: string) => void): void {
  try {
    printer.print(object, out);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
  }
}

function created(object: KubeObject | undefined): KubeObject {
  if (object === undefined) throw new Error("resource name must be provided");
  return object;
}
