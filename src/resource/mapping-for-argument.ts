import { goQuote } from "../base/go-quote.js";
import type { GroupVersionKind } from "../machinery/meta/gvk.js";
import { isNoMatchError, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";

/** What a user's word for a type means: a resource in any of its spellings, else a kind ("Deployment.v1.apps"). */
export async function mappingForArgument(arg: string, mapper: RestMapper): Promise<RestMapping> {
  const kind = await unlessNoMatch(kindOfResource(arg, mapper));
  if (kind !== undefined) return mapper.mappingFor(kind, kind.version);
  const [first = "", version = "", ...group] = arg.split(".");
  if (group.length > 0) {
    const full = await unlessNoMatch(mapper.mappingFor({ kind: first, group: group.join(".") }, version));
    if (full !== undefined) return full;
  }
  const found = await unlessNoMatch(mapper.mappingFor({ kind: first, group: arg.slice(first.length + 1) }));
  if (found !== undefined) return found;
  throw new Error(`the server doesn't have a resource type ${goQuote(first)}`);
}

async function kindOfResource(arg: string, mapper: RestMapper): Promise<GroupVersionKind> {
  return mapper.kindFor(await mapper.resourceFor(arg));
}

const unlessNoMatch = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (isNoMatchError(error)) return undefined;
    throw error;
  });
