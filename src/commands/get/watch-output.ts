import type { Streams } from "../../cli/connect/factory.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Printer } from "../../printers/printer.js";
import { asTable, fromTable } from "../../printers/table.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { GetOptions } from "./options.js";
import { writeOutput } from "../../cli/write-output.js";

/** Prints objects or events, aligned with those before. */
export class WatchOutput {
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
