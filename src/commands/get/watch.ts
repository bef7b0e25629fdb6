import { errorMessage } from "../../base/text/error-message.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { silentExit } from "../../cli/errors.js";
import type { Streams } from "../../cli/connect/factory.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { Result } from "../../resource/builder.js";
import { isList, listItems } from "../../resource/lists.js";
import { type GetOptions, requestBuilder } from "./options.js";
import { toPrinter } from "./to-printer.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Printer } from "../../printers/printer.js";
import { asTable, fromTable } from "../../printers/table.js";
import { TabWriter } from "../../printers/tab-writer.js";
import { writeOutput } from "../../cli/write-output.js";

/**
 * Prints the objects, then every change, until the server ends the watch or the signal aborts. A single object is watched from
 * version 0, whose first event repeats the printed object and is suppressed. Except on a terminal, several types are rejected as
 * in kubectl.
 */
export async function watchResources(options: GetOptions, streams: Streams): Promise<void> {
  const builder = await requestBuilder(options);
  builder.requestChunksOf(options.chunkSize);
  const { out } = streams;
  if (out.isTTY === true && options.args.length > 0) {
    const result = await builder.do();
    const parts = result.bySource();
    return parts.length > 1 ? watchTogether(parts, options, streams) : watchOne(result, options, streams);
  }
  return watchOne(await builder.singleResourceType().do(), options, streams);
}

async function watchOne(result: Result, options: GetOptions, streams: Streams): Promise<void> {
  const show = await showPresent(result, options, streams);
  if (show !== undefined) await follow(result, show, options.signal);
}

/** What there is of each, one table after the other, then the changes of all as they happen. */
async function watchTogether(parts: readonly Result[], options: GetOptions, streams: Streams): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let written = false;
  const separate = (): void => {
    if (written && options.print.humanReadable && !options.print.noHeaders) streams.out.write("\n");
    written = true;
  };
  const shown: { readonly result: Result; readonly present: Present }[] = [];
  for (const result of parts) {
    const present = await showPresent(result, options, streams, { separate });
    if (present !== undefined) shown.push({ result, present });
  }
  try {
    await Promise.all(shown.map(({ result, present }) => follow(result, present, signal)));
  } finally {
    stop.abort();
  }
}

interface Present {
  readonly show: WatchOutput;
  readonly resourceVersion: string;
  /** The first change is news. */
  readonly isList: boolean;
}

/** Prints it, of several `together` with what tells them apart. Undefined where nothing is there and that is no error. */
async function showPresent(
  result: Result,
  options: GetOptions,
  streams: Streams,
  together?: { readonly separate: () => void },
): Promise<Present | undefined> {
  const { infos, error } = await result.gather();
  if (error !== undefined) {
    if (options.ignoreNotFound && isNotFound(error)) return undefined;
    throw error;
  }
  const mapping = infos[0]?.mapping ?? result.mapping();
  const printer = toPrinter(options.print, {
    clock: options.clock,
    tabbed: true,
    withNamespace: options.allNamespaces && (together === undefined || mapping.namespaced),
    kind: together !== undefined || options.print.showKind ? mapping.kind : undefined,
  });
  const object = await result.object();
  const list = isList(object) ? object : undefined;

  const show = new WatchOutput(printer, options, streams, together?.separate);
  try {
    for (const item of list === undefined ? [object] : listItems(list)) {
      show.add("ADDED", item, !options.watchOnly);
    }
  } catch (failure) {
    await show.writeSettled();
    throw new Error(`unable to output the provided object: ${errorMessage(failure)}`, { cause: failure });
  }
  await show.flush();
  const resourceVersion = list === undefined ? "0" : (list.metadata?.resourceVersion ?? "");
  return { show, resourceVersion, isList: list !== undefined };
}

async function follow(result: Result, present: Present, signal: AbortSignal): Promise<void> {
  const { show, resourceVersion } = present;
  let visible = present.isList;
  try {
    for await (const { type, object } of await result.watch(resourceVersion, signal)) {
      if (!show.tryToAdd(type, object, visible)) return await show.writeSettled();
      await show.flush();
      visible = true;
    }
  } catch (error) {
    if (signal.aborted) throw silentExit();
    // A connection that ends, by --request-timeout or by itself, is the end of the watch, not a failure.
    if (!isTransportError(error)) throw error;
  }
}

/** Prints objects or events, aligned with those before. */
class WatchOutput {
  readonly #printer: Printer;
  readonly #asEvents: boolean;
  readonly #streams: Streams;
  /** Called once, before anything is written. */
  #beforeFirst: (() => void) | undefined;
  #text = "";
  readonly #writer: TabWriter;

  constructor(printer: Printer, { outputWatchEvents, print }: GetOptions, streams: Streams, beforeFirst?: () => void) {
    this.#printer = printer;
    this.#asEvents = outputWatchEvents;
    this.#streams = streams;
    this.#beforeFirst = beforeFirst;
    this.#writer = new TabWriter((text) => void (this.#text += text), {
      measure: print.look.measure,
      fit: print.look.fit,
    });
  }

  /** What is not visible is passed on without rows when it is a Table, for its columns, else not at all. */
  add(type: string, object: KubeObject, visible: boolean): void {
    const shown = visible ? object : withoutRows(object);
    if (shown !== undefined) this.#printer.print(this.#asEvents ? { type, object: shown } : shown, this.#writer.write);
  }

  /** False when the printer fails, which ends a watch without a word, as in kubectl. */
  tryToAdd(type: string, object: KubeObject, visible: boolean): boolean {
    try {
      this.add(type, object, visible);
      return true;
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      return false;
    }
  }

  async flush(): Promise<void> {
    this.#writer.flush();
    await this.writeSettled();
  }

  /** Writes what needs no alignment with what may come. */
  async writeSettled(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    if (text === "") return;
    this.#beforeFirst?.();
    this.#beforeFirst = undefined;
    await writeOutput(this.#streams.out, text);
  }
}

function withoutRows(object: KubeObject): KubeObject | undefined {
  const table = asTable(object);
  return table === undefined ? undefined : fromTable({ columnDefinitions: table.columnDefinitions, rows: [] });
}
