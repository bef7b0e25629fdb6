import { goQuote } from "../base/text/go-quote.js";
import { parseResourceArgument } from "../client/mapper/resource-index.js";
import type { GroupVersionKind } from "../machinery/meta/gvk.js";
import { isNoMatchError, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";

/**
 * What a user's word for a type means: a resource in any of its spellings, else a kind ("Deployment.v1.apps"). The questions to
 * the mapper are those of cli-runtime's builder, since each reads discovery again: what it read is in the log of -v=10.
 */
export async function mappingForArgument(arg: string, mapper: RestMapper): Promise<RestMapping> {
  const kind = await kindOfResource(arg, mapper);
  if (kind !== undefined) return mapper.mappingFor(kind, kind.version);
  const [first = "", version = "", ...group] = arg.split(".");
  const partial = { kind: first, group: arg.slice(first.length + 1) };
  const isFull = group.length > 0;
  const full = isFull
    ? mapper.mappingFor({ kind: first, group: group.join(".") }, version)
    : mapper.mappingFor(partial);
  const found = await full.catch(() => undefined);
  if (found !== undefined) return found;
  try {
    return await mapper.mappingFor(partial);
  } catch (error) {
    throw isNoMatchError(error) ? new Error(`the server doesn't have a resource type ${goQuote(first)}`) : error;
  }
}

/** Undefined where no resource is called so, and where discovery fails: the next question then says why. */
async function kindOfResource(arg: string, mapper: RestMapper): Promise<GroupVersionKind | undefined> {
  const { full, partial } = parseResourceArgument(arg);
  const kind = full && (await mapper.kindFor(full).catch(() => undefined));
  return kind ?? (await mapper.kindFor(partial).catch(() => undefined));
}
