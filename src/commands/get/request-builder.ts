import type { Builder } from "../../resource/builder.js";
import type { GetOptions } from "./options.js";

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
