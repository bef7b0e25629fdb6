import type { KubeObject } from "../../src/machinery/meta/object.js";

/**
 * "<operation> <manager>[/<subresource>] <fieldsV1>" of each entry of metadata.managedFields, sorted: the order of entries
 * is that of their times, which have whole seconds.
 */
export function fieldOwners({ metadata }: KubeObject): readonly string[] {
  const entries = (metadata?.managedFields ?? []).map(({ operation, manager, subresource, fieldsV1 }) => {
    const part = subresource === undefined ? "" : `/${subresource as string}`;
    return `${operation as string} ${manager as string}${part} ${JSON.stringify(fieldsV1)}`;
  });
  return entries.toSorted();
}
