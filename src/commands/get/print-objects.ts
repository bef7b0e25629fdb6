import type { Streams } from "../../cli/connect/factory.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { isList, listItems } from "../../resource/lists.js";
import { type GetOptions, requestBuilder } from "./options.js";
import { toPrinter, sorting } from "./to-printer.js";
import { writeOutput } from "../../cli/write-output.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { Printer } from "../../printers/printer.js";
import { TabWriter } from "../../printers/tab-writer.js";

/** Prints in any format except tables: one object as it is, anything else as one v1 List. Throws the errors of the search afterwards. */
export async function printGeneric(options: GetOptions, streams: Streams): Promise<void> {
  const builder = await requestBuilder(options);
  const result = await builder
    .subresource(options.subresource)
    .requestChunksOf(options.print.sortBy === "" ? options.chunkSize : 0)
    .continueOnError()
    .flatten()
    .do();
  if (options.ignoreNotFound) result.ignoreErrors(isNotFound);
  const { infos, error } = await result.gather();
  const failed: readonly unknown[] = error === undefined ? [] : [error];
  if (failed.length > 0 && result.singleItemImplied) throw error;
  if (infos.length === 0 && options.ignoreNotFound) return throwAll(failed);

  if (options.print.serverPrint) (await options.log())?.info(2, "table_printer.go:45", NO_TABLE);
  const printer = toPrinter(options.print, { clock: options.clock, withNamespace: false, tabbed: false });
  const pieces: string[] = [];
  let printError: { readonly thrown: unknown } | undefined;
  try {
    printer.print(printable(infos, result.singleItemImplied), (text) => pieces.push(text));
  } catch (thrown) {
    printError = { thrown };
  }
  await writeOutput(streams.out, pieces.join(""));
  throwAll(printError === undefined ? failed : [...failed, printError.thrown]);
}

/** kubectl takes every format that it has no exception for to be a table's, and then finds out. */
const NO_TABLE =
  "Unable to decode server response into a Table. Falling back to hardcoded types: attempt to decode non-Table object";

function printable(infos: readonly Info[], singleItemImplied: boolean): KubeObject {
  const objects = infos.flatMap(({ object }) => (object === undefined ? [] : [object]));
  const [only] = objects;
  if (!singleItemImplied || infos.length !== 1 || only === undefined) return asList(objects, "");
  return isList(only) ? asList(listItems(only), only.metadata?.resourceVersion ?? "") : only;
}

function asList(items: readonly KubeObject[], resourceVersion: string): KubeObject {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion } };
}

/** One error as itself, several together. */
function throwAll(errors: readonly unknown[]): void {
  const leaves = errors.flatMap((error) => (error instanceof AggregateError ? (error.errors as unknown[]) : [error]));
  if (leaves.length === 1) throw leaves[0];
  if (leaves.length > 1) throw new AggregateError(leaves);
}

/** Prints tables, one for each type, separated by empty lines. Throws the errors of the search afterwards. */
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
