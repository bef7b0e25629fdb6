// The grammar of resource arguments: `type`, `type name...`, `type/name...`, comma lists.

export interface ResourceName {
  readonly resource: string;
  readonly name: string;
}

/** "a,b,a" -> ["a", "b"]. */
export const splitTypes = (text: string): readonly string[] => [...new Set(text.split(","))];

/** `a,b x y` is `a/x a/y b/x b/y`. */
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

/** undefined when there is no slash in it. */
export function splitTypeName(arg: string): ResourceName | undefined {
  const [resource, name, ...rest] = arg.split("/");
  if (name === undefined) return undefined;
  if (rest.length > 0) throw new Error("arguments in resource/name form may not have more than one slash");
  if (resource === undefined || resource === "" || name === "" || splitTypes(resource).length !== 1) {
    throw new Error("arguments in resource/name form must have a single resource and name");
  }
  return { resource, name };
}
