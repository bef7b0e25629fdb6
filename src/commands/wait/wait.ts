import { actionSurroundings } from "../../actions/surroundings.js";
import type { WaitContext } from "../../actions/wait/settle.js";
import type { Command, Invocation } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { Flags, FlagSpec } from "../../component/flags/flag-set.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { readFilenames, selectorFlag } from "../../cli/flags/resource-flags.js";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, localResourceError } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Printer } from "../../printers/printer.js";
import type { Result } from "../../resource/builder.js";
import { type Info, objectName } from "../../resource/info.js";
import { type Condition, parseConditions } from "../../cli/wait-conditions/conditions.js";
import { untilCreated, untilMet, type Ending, waitTogether } from "./until.js";

export interface WaitCommandOptions {
  /** Finds the objects, each time anew. */
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly conditions: readonly Condition[];
  /** Set by kubets' own --any and --fail-on: all objects are waited for side by side. */
  readonly together: Omit<Ending, "wanted"> | undefined;
  /** Milliseconds for all of it; 0 looks once. */
  readonly timeout: number;
  readonly printer: Printer;
  readonly streams: Streams;
  /** On a terminal: a line for each object that is waited for. */
  readonly live: LiveLines | undefined;
  /** What is waited for, before it is known. */
  readonly awaited: string;
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
  { name: "any", type: "bool", usage: "One of the conditions will do, whichever holds first" },
  {
    name: "fail-on",
    type: "stringArray",
    usage: "Give up at once when this holds for one of the objects; written as in --for, and may be repeated",
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

# Wait until a job is over, either way
{{program}} wait --any --for=condition=Complete --for=condition=Failed job/import

# Wait until all jobs are complete, but not if one has failed
{{program}} wait --for=condition=Complete --fail-on=condition=Failed jobs --all --timeout=10m

# Wait until a pod exists and is Ready
{{program}} wait --for=condition=Ready --for=create pod/busybox1`,
    flags,
    outputMustArrive: false,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    handlesSignals: true,
  };
}

async function complete(factory: Factory, { args, flags: given, signal }: Invocation): Promise<WaitCommandOptions> {
  const printer = printerFor(readPrintRequest(given, factory), "condition met");
  await factory.clientConfig();
  const conditions = parseConditions(given.strings("for"));
  const timeout = given.duration("timeout");
  const live = timeout === 0 ? undefined : await openLiveLines(factory);
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
        if (args.length > 0) builder.addError(localResourceError());
      } else {
        builder
          .typeOrNameArgs(given.bool("all"), args)
          .labelSelector(given.string("selector"))
          .fieldSelector(given.string("field-selector"))
          .latest();
      }
      return builder.continueOnError().flatten().do();
    },
    client: live?.above(factory.restClient) ?? factory.restClient,
    conditions,
    together: readTogether(given, conditions),
    timeout: timeout < 0 ? A_WEEK : timeout,
    printer,
    streams: factory.streams,
    live,
    awaited: args.join(" ") || "what the files name",
    signal,
  };
}

function readTogether(given: Flags, wanted: readonly Condition[]): WaitCommandOptions["together"] {
  const any = given.bool("any");
  const texts = given.strings("fail-on");
  if (!any && texts.length === 0) return undefined;
  const conditions = texts.length === 0 ? [] : parseConditions(texts);
  if (any && wanted.some(({ type }) => type === "created")) throw new Error("--any cannot be used with --for=create");
  if (conditions.some(({ type }) => type === "created")) throw new Error("--fail-on cannot be used with create");
  return { any, failing: conditions.map((condition, index) => ({ condition, text: texts[index] ?? "" })) };
}

/** Waits for one object after the other, each for all conditions, and continues after a failure. */
export async function runWait(options: WaitCommandOptions): Promise<void> {
  const { conditions, live, signal, timeout } = options;
  const time = new AbortController();
  const timer = timeout > 0 ? setTimeout(() => time.abort(), Math.min(timeout, 2 ** 31 - 1)) : undefined;
  const deadline = AbortSignal.any([signal, time.signal]);
  try {
    if (conditions.some(({ type }) => type === "created")) {
      live?.set(options.awaited, "not there yet");
      await untilCreated(options.find, deadline, timeout > 0);
      live?.remove(options.awaited);
    }
    await waitForAll(options, deadline);
  } catch (error) {
    // What was interrupted before there was anything to wait for dies of the signal.
    if (signal.aborted && error !== signal.reason) throw silentExit();
    throw error;
  } finally {
    live?.end();
    clearTimeout(timer);
  }
}

async function waitForAll(options: WaitCommandOptions, deadline: AbortSignal): Promise<void> {
  const forDelete = options.conditions.some(({ type }) => type === "deleted");
  if (options.live !== undefined) await showAll(options, options.live);
  const result = await options.find();
  if (forDelete) result.ignoreErrors(isNotFound);
  if (options.together !== undefined) return waitSideBySide(await result.infos(), options.together, options, deadline);
  let visited = 0;
  await result.visit(async (info) => {
    visited += 1;
    try {
      for (const condition of options.conditions) await waitFor(info, condition, options, deadline);
    } finally {
      options.live?.remove(objectName(info));
    }
  });
  if (visited === 0 && !forDelete) throw new Error("no matching resources found");
}

async function waitSideBySide(
  infos: readonly Info[],
  ending: Omit<Ending, "wanted">,
  { client, conditions, live, printer, streams, timeout }: WaitCommandOptions,
  deadline: AbortSignal,
): Promise<void> {
  if (infos.length === 0 && conditions.every(({ type }) => type !== "deleted")) {
    throw new Error("no matching resources found");
  }
  const rest = await client();
  const [first] = conditions;
  const contextOf = (info: Info): WaitContext => ({
    rest,
    timers: actionSurroundings({}).timers,
    deadline,
    once: timeout === 0,
    seen: (object) => live?.set(objectName(info), first?.state(object) ?? ""),
  });
  await waitTogether(infos, { ...ending, wanted: conditions }, contextOf, (info, met) => {
    live?.remove(objectName(info));
    live?.clear();
    printQuietly(printer, met, (text) => void streams.out.write(text));
  });
}

async function waitFor(
  info: Info,
  condition: Condition,
  options: WaitCommandOptions,
  deadline: AbortSignal,
): Promise<void> {
  const { live, printer, streams, timeout } = options;
  const seen = (object: KubeObject | undefined): void => live?.set(objectName(info), condition.state(object));
  const { timers } = actionSurroundings({});
  const context = { rest: await options.client(), timers, deadline, once: timeout === 0, seen };
  seen(info.object);
  const met = await untilMet(info, condition, context);
  live?.clear();
  printQuietly(printer, met, (text) => void streams.out.write(text));
}

/** A line for each of several from the start, though one is waited for after the other. */
async function showAll({ find, conditions: [condition] }: WaitCommandOptions, live: LiveLines): Promise<void> {
  const result = await find();
  if (result.singleItemImplied || condition === undefined) return;
  const { infos } = await result.gather();
  for (const info of infos) live.set(objectName(info), condition.state(info.object));
}

/** kubectl does not tell what a printer refuses. */
function printQuietly(printer: Printer, object: KubeObject, out: (text: string) => void): void {
  try {
    printer.print(object, out);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
  }
}
