import type { Clock } from "../../base/time/clock.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { PrintRequest } from "../../printers/formats.js";
import type { Look } from "../../printers/look.js";
import type { Builder, FilenameOptions } from "../../resource/builder.js";

/** The options of a valid `get`. */
export interface GetOptions {
  readonly args: readonly string[];
  readonly files: FilenameOptions;
  readonly namespace: string;
  /** -n was given and -A was not: a manifest's own namespace must match. */
  readonly explicitNamespace: boolean;
  readonly allNamespaces: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly subresource: string;
  readonly chunkSize: number;
  /** "" asks for a resource, else for this path. */
  readonly raw: string;
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly outputWatchEvents: boolean;
  readonly ignoreNotFound: boolean;
  readonly print: GetPrintOptions;
  readonly clock: Clock;
  readonly log: Factory["log"];
  readonly signal: AbortSignal;
  readonly builder: () => Promise<Builder>;
  readonly restClient: () => Promise<RestClient>;
  /** Called after "No resources found in NAMESPACE". */
  readonly hintAtNamespace: () => Promise<void>;
  /** Called after the same, where there are objects and a printer has failed for all of them. */
  readonly hintAtDropped: (error: unknown) => Promise<void>;
}

export interface GetPrintOptions extends PrintRequest {
  /** A table: no -o, or -o wide. */
  readonly humanReadable: boolean;
  /** Tables are made by the server. */
  readonly serverPrint: boolean;
  readonly noHeaders: boolean;
  readonly showKind: boolean;
  readonly showLabels: boolean;
  readonly columnLabels: readonly string[];
  /** "" leaves the server's order. */
  readonly sortBy: string;
  readonly look: Look;
}

export type GetRun = (options: GetOptions, streams: Streams) => Promise<void>;

const tableAccept = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json",
].join(",");

/** The steps that getting and watching share. */
export async function requestBuilder(options: GetOptions): Promise<Builder> {
  const builder = await options.builder();
  return builder
    .namespaceParam(options.namespace)
    .defaultNamespace()
    .allNamespaces(options.allNamespaces)
    .filenames(options.explicitNamespace, options.files)
    .labelSelector(options.labelSelector)
    .fieldSelector(options.fieldSelector)
    .typeOrNameArgs(true, options.args)
    .latest()
    .transformRequests(tableRequest(options));
}

/** Asks for a Table when one is to be shown, with the whole objects in it when they are to be sorted by a field. */
function tableRequest({ print }: GetOptions): Parameters<Builder["transformRequests"]>[0] {
  if (!print.serverPrint || !print.humanReadable) return { accept: "application/json" };
  return print.sortBy === "" ? { accept: tableAccept } : { accept: tableAccept, query: { includeObject: "Object" } };
}
