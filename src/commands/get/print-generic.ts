import type { Streams } from "../../cli/connect/factory.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { isList, listItems } from "../../resource/lists.js";
import { type GetOptions, requestBuilder } from "./options.js";
import { toPrinter } from "./to-printer.js";
import { writeOutput } from "../../cli/write-output.js";

/** Every format but tables: one object as it is, anything else as one v1 List, then what went wrong. */
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
