import { goQuote } from "../base/text/go-quote.js";
import { parseResourceArgument } from "../client/mapper/resource-index.js";
import type { GroupVersionKind } from "../machinery/meta/gvk.js";
import { isNoMatchError, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";

// The grammar of resource arguments: `type`, `type name...`, `type/name...`, comma lists.

export interface ResourceName {
  readonly resource: string;
  readonly name: string;
}

/** Splits a list of types, each once: "a,b,a" -> ["a", "b"]. */
export const splitTypes = (text: string): readonly string[] => [...new Set(text.split(","))];

/** Combines types with names: `a,b x y` -> `a/x a/y b/x b/y`. */
export function spreadTypes(args: readonly string[]): readonly string[] {
  const [types, ...names] = args;
  if (types === undefined || names.length === 0) return args;
  const all = splitTypes(types);
  return all.length > 1 ? all.flatMap((type) => names.map((name) => `${type}/${name}`)) : args;
}

/** Whether all arguments are type/name. Throws when only some are. */
export function areCombined(args: readonly string[], program: string): boolean {
  const combined = args.filter((arg) => arg.includes("/")).length;
  if (combined === 0) return false;
  if (combined === args.length) return true;
  throw new Error(
    `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. '${program} get resource/<resource_name>' instead of '${program} get resource resource/<resource_name>'`,
  );
}

/** Splits TYPE/NAME; undefined for an argument without a slash. */
export function splitTypeName(arg: string): ResourceName | undefined {
  const [resource, name, ...rest] = arg.split("/");
  if (name === undefined) return undefined;
  if (rest.length > 0) throw new Error("arguments in resource/name form may not have more than one slash");
  if (resource === undefined || resource === "" || name === "" || splitTypes(resource).length !== 1) {
    throw new Error("arguments in resource/name form must have a single resource and name");
  }
  return { resource, name };
}

/**
 * Resolves the user's word for a type: a resource in any of its spellings, else a kind ("Deployment.v1.apps"). It calls the mapper
 * as cli-runtime's builder does, because each call reads discovery again, which the log of -v=10 shows.
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
    if (!isNoMatchError(error)) throw error;
    const where = partial.group === "" ? "" : ` in group ${goQuote(partial.group)}`;
    throw new Error(`the server doesn't have a resource type ${goQuote(first)}${where}`, { cause: error });
  }
}

/** Undefined where no resource is called so, and where discovery fails: the next question then says why. */
async function kindOfResource(arg: string, mapper: RestMapper): Promise<GroupVersionKind | undefined> {
  const { full, partial } = parseResourceArgument(arg);
  const kind = full && (await mapper.kindFor(full).catch(() => undefined));
  return kind ?? (await mapper.kindFor(partial).catch(() => undefined));
}
