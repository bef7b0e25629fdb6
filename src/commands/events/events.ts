import { append } from "../../base/collections/append.js";
import type { Clock } from "../../base/time/clock.js";
import type { Command, Invocation } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper, RestMapping } from "../../machinery/rest-mapper.js";
import { objectFormats, printerFor } from "../../printers/formats.js";
import { goSort } from "../../base/collections/go-sort.js";
import { type Printer, listItems } from "../../printers/printer.js";
import { type Look, headingCells, rowCells, tableColumns } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { Helper } from "../../resource/helper.js";
import { interval } from "../../polymorphic-helpers/describe/events.js";
import { object, text } from "../../machinery/meta/access.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";

export interface EventsOptions {
  readonly client: () => Promise<RestClient>;
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly watch: boolean;
  /** Empty: all of them. Compared without regard to case. */
  readonly types: readonly string[];
  readonly fieldSelector: string;
  readonly printer: Printer;
  /** The printer writes rows of a table. */
  readonly inTable: boolean;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly look: Look;
  readonly signal: AbortSignal;
}

const EVENTS: RestMapping = {
  resource: { group: "", version: "v1", resource: "events" },
  kind: { group: "", version: "v1", kind: "Event" },
  namespaced: true,
};
/** kubectl reads pages of this size whatever --chunk-size says. */
const PAGE = 500;

export function eventsCommand(run = runEvents): Command {
  return {
    use: `events [(-o|--output=)${objectFormats.join("|")}] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]`,
    description: `Show events, the oldest first: those of a namespace or of all, or those about one resource.`,
    examples: `# The events of the current namespace
{{program}} events

# Those of all namespaces
{{program}} events --all-namespaces

# Those about a pod, and then every new one as it comes
{{program}} events --for pod/web-pod-13je7 --watch

# As YAML
{{program}} events -oyaml

# Only warnings
{{program}} events --types=Warning`,
    flags: [
      { name: "watch", short: "w", type: "bool", usage: "After the events there are, show new ones as they come" },
      { name: "all-namespaces", short: "A", type: "bool", usage: "In all namespaces, whatever -n says" },
      { name: "for", type: "string", usage: "Only events about this resource, as TYPE/NAME" },
      { name: "types", type: "stringSlice", usage: "Only events of these types: Normal, Warning" },
      { name: "no-headers", type: "bool", usage: "Leave the headings out of the table" },
      {
        name: "chunk-size",
        type: "int64",
        default: "500",
        usage: "Read long lists in pages of this size; 0 reads them at once",
      },
      ...printFlags,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    handlesSignals: ({ flags }) => flags.bool("watch"),
  };
}

async function complete(factory: Factory, { flags, signal }: Invocation): Promise<EventsOptions> {
  const { namespace } = await factory.namespace();
  const about = flags.string("for");
  const fieldSelector = about === "" ? "" : await selectorFor(about, await factory.mapper());
  await factory.clientConfig();
  const allNamespaces = flags.bool("all-namespaces");
  const print = { ...readPrintRequest(flags, factory), encode: (object: KubeObject) => encodeJson(object) };
  const inTable = print.output === "";
  const printer = inTable
    ? eventPrinter({ noHeaders: flags.bool("no-headers"), allNamespaces, clock: factory.clock, look: factory.look })
    : printerFor(print);
  const types = flags.strings("types").map((type) => type.toLowerCase());
  if (types.some((type) => type !== "normal" && type !== "warning")) {
    throw new Error("valid --types are Normal or Warning");
  }
  return {
    client: factory.restClient,
    namespace,
    allNamespaces,
    watch: flags.bool("watch"),
    types,
    fieldSelector,
    printer,
    inTable,
    clock: factory.clock,
    streams: factory.streams,
    look: factory.look,
    signal,
  };
}

async function selectorFor(about: string, mapper: RestMapper): Promise<string> {
  const [type = "", name = "", ...rest] = about.split("/");
  if (!about.includes("/")) throw new Error("--for must be in resource/name form");
  if (rest.length > 0) throw new Error("arguments in resource/name form may not have more than one slash");
  const { group, version, kind } = await mapper.kindFor(await mapper.resourceFor(type.toLowerCase()));
  // Without a name kubectl shows them all.
  if (name === "") return "";
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return `involvedObject.kind=${kind},involvedObject.apiVersion=${apiVersion},involvedObject.name=${name}`;
}

export async function runEvents(options: EventsOptions): Promise<void> {
  if (options.watch) return watchEvents(options);
  const { namespace, allNamespaces, streams } = options;
  const { items } = await listEvents(options);
  if (items.length === 0) {
    streams.err.write(allNamespaces ? "No events found.\n" : `No events found in ${namespace} namespace.\n`);
    return;
  }
  printSorted(items, options.printer, tabWriter(options));
}

function printSorted(items: KubeObject[], printer: Printer, writer: TabWriter): void {
  goSort(items, (a, b) => eventTime(a) < eventTime(b));
  const list = { kind: "EventList", apiVersion: "v1", metadata: {}, items: items.map(asEvent) };
  printQuietly(printer, list, writer);
  writer.flush();
}

async function listEvents(
  options: EventsOptions,
): Promise<{ readonly items: KubeObject[]; readonly resourceVersion: string }> {
  const signal = options.watch ? options.signal : undefined;
  const helper = new Helper(await options.client(), EVENTS, { typed: true, signal });
  const items: KubeObject[] = [];
  let next = "";
  let resourceVersion = "";
  do {
    const { fieldSelector } = options;
    const page = await helper.list(whereOf(options), { fieldSelector, limit: PAGE, continue: next });
    append(items, (page.items ?? []) as KubeObject[]);
    resourceVersion = page.metadata?.resourceVersion ?? "";
    next = (page.metadata as { continue?: string } | undefined)?.continue ?? "";
  } while (next !== "");
  return { items: items.filter((event) => isWanted(event, options)), resourceVersion };
}

/**
 * What there is, then what comes. kubectl gets all of it from the watch and aligns each row with those before it; on a terminal the rows
 * that are there already are one table, the oldest first.
 */
async function watchEvents(options: EventsOptions): Promise<void> {
  const { fieldSelector, printer, signal } = options;
  const helper = new Helper(await options.client(), EVENTS, { typed: true });
  const writer = tabWriter(options);
  const seen = await showPresent(options, writer);
  const events = await helper.watch(whereOf(options), { fieldSelector, limit: PAGE, ...seen }, signal);
  try {
    for await (const { type, object } of events) {
      if (type === "DELETED" || object.kind !== "Event" || !isWanted(object, options)) continue;
      printQuietly(printer, asEvent(object), writer);
      writer.flush();
    }
  } catch (error) {
    // However the watch ends, that is all there is to show.
    if (!signal.aborted && !isTransportError(error)) throw error;
  }
  if (signal.aborted) throw silentExit();
}

/** Where the watch goes on: nothing where nothing has been shown. */
async function showPresent(options: EventsOptions, writer: TabWriter): Promise<{ readonly resourceVersion?: string }> {
  if (!options.inTable || options.streams.out.isTTY !== true) return {};
  const { items, resourceVersion } = await listEvents(options);
  if (items.length > 0) printSorted(items, options.printer, writer);
  return { resourceVersion };
}

const whereOf = ({ namespace, allNamespaces }: EventsOptions): string => (allNamespaces ? "" : namespace);

const asEvent = (event: KubeObject): KubeObject => ({ kind: "Event", apiVersion: "v1", ...event });

const isWanted = ({ type }: KubeObject, { types }: EventsOptions): boolean =>
  types.length === 0 || (typeof type === "string" && types.includes(type.toLowerCase()));

const tabWriter = ({ streams, look: { measure, fit } }: EventsOptions): TabWriter =>
  new TabWriter((text) => void streams.out.write(text), { measure, fit });

/** kubectl does not tell of what a printer refuses: -o name, for one, takes no lists. */
function printQuietly(printer: Printer, object: KubeObject, writer: TabWriter): void {
  try {
    printer.print(object, writer.write);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
  }
}

export interface EventPrintOptions {
  readonly noHeaders: boolean;
  readonly allNamespaces: boolean;
  readonly clock: Clock;
  readonly look: Look;
}

/** A line of tab-separated cells for each event, below headings that come once. */
export function eventPrinter({ noHeaders, allNamespaces, clock, look }: EventPrintOptions): Printer {
  const headings = [...(allNamespaces ? ["NAMESPACE"] : []), ...HEADINGS];
  let headed = noHeaders;
  return {
    print(printed, out) {
      out.table?.(tableColumns(headings, !headed));
      if (!headed) {
        out(`${headingCells(look, headings).join("\t")}\n`);
        headed = true;
      }
      for (const event of listItems(printed) ?? [printed]) {
        const cells = eventCells(event, clock.now());
        const row = allNamespaces ? [event.metadata?.namespace ?? "", ...cells] : cells;
        out(`${rowCells(look, headings, row).join("\t")}\n`);
      }
    },
  };
}

const HEADINGS = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];

function eventCells(event: KubeObject, now: number): readonly string[] {
  const about = object(event.involvedObject);
  const [type, reason, kind, name, message] = [
    event.type,
    event.reason,
    about.kind,
    about.name,
    text(event.message).trim(),
  ].map((value) => escapeForTerminal(text(value)));
  return [interval(event, now), type ?? "", reason ?? "", `${kind}/${name}`, message ?? ""];
}

/** The time at which an event was seen last, in milliseconds; an event without a time sorts before all others. */
export function eventTime({ series, lastTimestamp, eventTime: time }: KubeObject): number {
  const seen =
    series === undefined || series === null ? text(lastTimestamp) || text(time) : text(object(series).lastObservedTime);
  return Date.parse(seen) || Number.NEGATIVE_INFINITY;
}
