import { dictionary } from "../../../base/collections/dictionary.js";
import { type Release, resources } from "../../facts/index.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { definitionSpec, schemasOf } from "./definition-spec.js";
import { schemaHas } from "./schema-fields.js";
import type { Definition, Spec, Names, Version, Schema } from "./definition-types.js";

const STRINGS =
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname";

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = dictionary({
  string: new Set(STRINGS.split(" ")),
  integer: new Set(["int32", "int64"]),
  number: new Set(["float", "double"]),
});

/**
 * Returns the warnings of a definition: formats in its schemas that the server does not check (of an update, the new ones), and
 * parts that built-in resources keep from being served.
 */
export function definitionWarnings(
  definition: Definition,
  old: Definition,
  { release }: { readonly release: Release },
): string[] {
  const before = new Set(unknownFormats(old));
  const formats = unknownFormats(definition).filter((format) => !before.has(format));
  return [
    ...formats.map((format) => `unrecognized format ${goQuote(format)}`),
    // K37-122
    ...(release.atLeast("1.37") ? newSetWarnings(definition, old) : []),
    ...shadowWarnings(definition),
  ];
}

/** Sets of what is no scalar: neither apply nor rules know when two items are the same. Each type is warned of once. */
function newSetWarnings(definition: Definition, old: Definition): readonly string[] {
  const before = setsOfNoScalars(old);
  return [...setsOfNoScalars(definition)]
    .filter((type) => !before.has(type))
    .toSorted()
    .map(
      (type) =>
        `x-kubernetes-list-type: set for items of type ${goQuote(type)} is not supported by server-side apply or CEL validation rules`,
    );
}

function setsOfNoScalars({ spec }: KubeObject): ReadonlySet<string> {
  const types = new Set<string>();
  for (const schema of schemasOf(definitionSpec(object(spec)))) {
    schemaHas(schema, (one) => {
      const { type }: Schema = object(one.items);
      if (one["x-kubernetes-list-type"] === "set" && (type === "object" || type === "array")) types.add(type);
      return false;
    });
  }
  return types;
}

/** A definition is accepted where built-in resources are, and nothing of it is served. */
function shadowWarnings({ spec }: KubeObject): readonly string[] {
  const { group, names, versions }: Spec = object(spec);
  const { plural, kind }: Names = object(names);
  const builtIn = resources().filter((one) => one.group === group);
  if (builtIn.length === 0) return [];
  const same = builtIn.find((one) => one.name === plural || one.kind === kind);
  if (same !== undefined) {
    return [`${same.kind} ${same.name}.${same.group} is a built-in resource: nothing of this definition is served`];
  }
  const known = new Set(builtIn.map(({ version }) => version));
  const given: readonly Version[] = objects(versions);
  return given
    .filter(({ name, served }) => served === true && known.has(text(name)))
    .map(
      ({ name }) =>
        `${text(group)}/${text(name)} has built-in resources: where they are served, this definition is not`,
    );
}

const unknownFormats = (definition: Definition): string[] =>
  schemasOf(definitionSpec(object(definition.spec))).flatMap(unknownFormatsIn);

const known = new WeakMap<ReadonlyFields, readonly string[]>();

/** Finds the unknown formats in a schema. The result is cached, because a schema may be large. */
export function unknownFormatsIn(schema: Schema): readonly string[] {
  let found = known.get(schema);
  if (found === undefined) {
    const formats: string[] = [];
    schemaHas(schema, ({ format, type }) => {
      if (typeof format === "string" && format !== "" && !isKnown(format, text(type))) formats.push(format);
      return false;
    });
    found = formats;
    known.set(schema, found);
  }
  return found;
}

function isKnown(format: string, type: string): boolean {
  const known = KNOWN[type === "" ? "string" : type];
  return known?.has(known === KNOWN.string ? format.replaceAll("-", "") : format) === true;
}
