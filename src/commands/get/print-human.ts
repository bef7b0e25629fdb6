import { errorMessage } from "../../base/text/error-message.js";
import type { Streams } from "../../cli/connect/factory.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { Printer } from "../../printers/printer.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { Info } from "../../resource/info.js";
import { type GetOptions, requestBuilder } from "./options.js";
import { sorting, toPrinter } from "./to-printer.js";
import { writeOutput } from "../../cli/write-output.js";

/** Tables: one for each type in turn, parted by an empty line, then what went wrong. */
export async function printHuman(options: GetOptions, streams: Streams): Promise<void> {
  const { print, ignoreNotFound, allNamespaces } = options;
  const builder = await requestBuilder(options);
  const result = await builder
    .subresource(options.subresource)
    .requestChunksOf(print.sortBy === "" ? options.chunkSize : 0)
    .continueOnError()
    .flatten()
    .do();
  if (ignoreNotFound) result.ignoreErrors(isNotFound);
  const { infos, error } = await result.gather();
  const errors: unknown[] = error === undefined ? [] : [error];

  const output = new SeparatedOutput();
  const writer = new TabWriter(output.write, { measure: print.look.measure, fit: print.look.fit });
  const withKind = print.showKind || severalKinds(infos);
  const dropped: unknown[] = [];
  let printer: Printer | undefined;
  let last: RestMapping | undefined;
  for (const info of print.sortBy === "" ? infos : (sorting()?.ordered(infos, print.sortBy) ?? infos)) {
    if (printer === undefined || last === undefined || !sameResource(info.mapping, last)) {
      writer.flush();
      writer.forgetWidths();
      if (last !== undefined && !print.noHeaders && output.written) output.separate();
      try {
        printer = toPrinter(print, {
          clock: options.clock,
          tabbed: true,
          withNamespace: allNamespaces && info.mapping.namespaced,
          kind: withKind ? info.mapping.kind : undefined,
        });
      } catch (failure) {
        if (!errors.some((known) => errorMessage(known) === errorMessage(failure))) errors.push(failure);
        continue;
      }
      last = info.mapping;
    }
    printIgnoringFailure(printer, info, writer.write, dropped);
  }
  writer.flush();
  await writeOutput(streams.out, output.text());

  if (!output.written && !ignoreNotFound && errors.length === 0) {
    const inNamespace = !allNamespaces && infos.every(({ mapping }) => mapping.namespaced);
    const place = inNamespace ? ` in ${options.namespace} namespace.` : "";
    streams.err.write(`No resources found${place}\n`);
    if (dropped.length > 0) await options.hintAtDropped(dropped[0]);
    else if (inNamespace) await options.hintAtNamespace();
  }
  // What a listing threw is an aggregate already: its errors read as some of several then, without "error: ".
  if (errors.length > 0) throw new AggregateError(errors);
}

/** kubectl drops what a printer of tables complains about. */
function printIgnoringFailure(
  printer: Printer,
  { object }: Info,
  out: (text: string) => void,
  dropped: unknown[],
): void {
  if (object === undefined) return;
  try {
    printer.print(object, out);
  } catch (error) {
    const isOurs = error instanceof TypeError || error instanceof RangeError;
    if (isOurs || sorting()?.isSortingFault(error) === true) throw error;
    dropped.push(error);
  }
}

function severalKinds(infos: readonly Info[]): boolean {
  const kinds = infos.map(({ mapping: { kind } }) => `${kind.group}/${kind.version}/${kind.kind}`);
  return new Set(kinds).size > 1;
}

function sameResource({ resource: a }: RestMapping, { resource: b }: RestMapping): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}

/** Collects the output; an empty line asked for comes only when more text follows. */
class SeparatedOutput {
  readonly #pieces: string[] = [];
  #separator = "";

  get written(): boolean {
    return this.#pieces.length > 0;
  }

  separate(): void {
    this.#separator = "\n";
  }

  readonly write = (text: string): void => {
    if (text === "") return;
    this.#pieces.push(this.#separator + text);
    this.#separator = "";
  };

  text(): string {
    return this.#pieces.join("");
  }
}
