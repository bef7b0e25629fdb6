import { isTransportError } from "../../client/transport/transport-error.js";
import { silentExit } from "../../cli/errors.js";
import type { Streams } from "../../cli/factory.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Printer } from "../../printers/printer.js";
import { asTable, fromTable } from "../../printers/table.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { Result } from "../../resource/builder.js";
import { isList, listItems } from "../../resource/is-list.js";
import type { GetOptions } from "./options.js";
import { requestBuilder } from "./request-builder.js";
import { toPrinter } from "./to-printer.js";
import { write } from "./write.js";

/**
 * Prints what is there, then every change, until the server ends the watch or the signal aborts. A single object is watched from
 * version 0, whose first event repeats what was printed and is held back.
 */
export async function watchResources(options: GetOptions, streams: Streams): Promise<void> {
  const builder = await requestBuilder(options);
  const result = await builder.requestChunksOf(options.chunkSize).singleResourceType().do();
  const { infos, error } = await result.gather();
  if (error !== undefined) {
    if (options.ignoreNotFound && isNotFound(error)) return;
    throw error;
  }
  const mapping = infos[0]?.mapping ?? result.mapping();
  const printer = toPrinter(options.print, {
    clock: options.clock,
    tabbed: true,
    withNamespace: options.allNamespaces,
    kind: options.print.showKind ? mapping.kind : undefined,
  });
  const object = await result.object();
  const list = isList(object) ? object : undefined;

  const show = new WatchOutput(printer, options.outputWatchEvents, streams);
  try {
    for (const item of list === undefined ? [object] : listItems(list)) {
      show.add("ADDED", item, !options.watchOnly);
    }
  } catch (failure) {
    await show.writeSettled();
    throw new Error(`unable to output the provided object: ${messageOf(failure)}`, { cause: failure });
  }
  await show.flush();
  await follow(
    result,
    list === undefined ? "0" : (list.metadata?.resourceVersion ?? ""),
    list !== undefined,
    show,
    options.signal,
  );
}

async function follow(
  result: Result,
  resourceVersion: string,
  showFirst: boolean,
  show: WatchOutput,
  signal: AbortSignal,
): Promise<void> {
  let visible = showFirst;
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
  #text = "";
  readonly #writer = new TabWriter((text) => {
    this.#text += text;
  });

  constructor(printer: Printer, asEvents: boolean, streams: Streams) {
    this.#printer = printer;
    this.#asEvents = asEvents;
    this.#streams = streams;
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
    if (text !== "") await write(this.#streams.out, text);
  }
}

function withoutRows(object: KubeObject): KubeObject | undefined {
  const table = asTable(object);
  return table === undefined ? undefined : fromTable({ columnDefinitions: table.columnDefinitions, rows: [] });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
