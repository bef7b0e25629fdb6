import { Definitions } from "../../src/api/facts/definitions.js";
import type { Field, Schema, StructSchema } from "../../src/machinery/schema/schema.js";
import { gatesOfMark, readRule, type Stage } from "./marks.js";
import type { GoField, GoTypes, VersionData } from "./version-data.js";

/** A field of a type that a resource holds, of all versions of its group together: "core.PodSpec.evictionResponders". */
export interface KnownField {
  readonly id: string;
  /** "core.PodSpec" */
  readonly type: string;
  readonly name: string;
  /** By the full name of its type, one for each version. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Its rules, by their parts with spaces between them: of all versions together, and of each by the full name of its type. */
  readonly rules: ReadonlyMap<string, Stage>;
  readonly rulesOf: ReadonlyMap<string, ReadonlyMap<string, Stage>>;
  /** The gates that it is marked with. */
  readonly gates: ReadonlySet<string>;
  /** Where resources hold it, some ways of each. */
  readonly places: readonly Place[];
}

/** The way from a resource to a field. */
export interface Place {
  readonly group: string;
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** To the struct that has the field; none for a field of the object itself. */
  readonly steps: readonly Step[];
  readonly holder: StructSchema;
  readonly field: Field;
  /** Whether it is the resource's preferred version, which validation reads. */
  readonly preferred: boolean;
}

export interface Step {
  readonly name: string;
  readonly holds: "struct" | "items" | "values";
}

interface Collected extends KnownField {
  readonly fields: Map<string, Field>;
  readonly rules: Map<string, Stage>;
  readonly rulesOf: Map<string, ReadonlyMap<string, Stage>>;
  readonly gates: Set<string>;
  readonly places: Place[];
}

const RANK: Readonly<Record<Stage, number>> = { ALPHA: 0, BETA: 1, STABLE: 2 };

/** "core.PodSpec" of "io.k8s.api.core.v1.PodSpec". */
export const typeId = (definition: string): string => {
  const words = definition.split(".");
  return `${words.at(-3)}.${words.at(-1)}`;
};

/** Every field that a served resource holds, by its id. Versions of a group are read in their order of priority. */
export function fieldsOf({ facts, go }: VersionData): ReadonlyMap<string, KnownField> {
  const definitions = new Definitions(facts);
  const markers = new Markers(go);
  const fields = new Map<string, Collected>();
  const order = new Map(facts.groups.flatMap(({ name, versions }) => versions.map((one, i) => [`${name}/${one}`, i])));
  const rankOf = (groupVersion: string): number =>
    order.get(groupVersion.includes("/") ? groupVersion : `/${groupVersion}`) ?? 0;
  const known = new Set<string>();
  for (const resource of facts.resources.toSorted((a, b) => rankOf(a.groupVersion) - rankOf(b.groupVersion))) {
    const root = definitions.structOf(resource.definition);
    if (root === undefined) continue;
    const group = resource.groupVersion.includes("/") ? (resource.groupVersion.split("/")[0] ?? "") : "";
    const preferred = !known.has(`${group}/${resource.name}`);
    known.add(`${group}/${resource.name}`);
    walk(root, (holder, steps) => {
      for (const field of holder.fields) {
        const found = collected(fields, holder, field, markers);
        const { name: plural, groupVersion: apiVersion, kind, namespaced = false } = resource;
        // The versions of a resource are validated in the shape of one.
        if (found.places.some((one) => one.group === group && one.plural === plural && one.apiVersion !== apiVersion))
          continue;
        found.places.push({ group, plural, apiVersion, kind, namespaced, steps, holder, field, preferred });
      }
    });
  }
  return fields;
}

function collected(fields: Map<string, Collected>, holder: StructSchema, field: Field, markers: Markers): Collected {
  const { definition } = holder;
  const type = typeId(definition);
  const id = `${type}.${field.name}`;
  let known = fields.get(id);
  if (known === undefined) {
    const [rules, rulesOf, gates] = [new Map(), new Map(), new Set<string>()];
    known = { id, type, name: field.name, fields: new Map(), rules, rulesOf, gates, places: [] };
    fields.set(id, known);
  }
  if (known.fields.has(definition)) return known;
  known.fields.set(definition, field);
  const marks = [...markers.of(definition, field.name), ...markers.ofNamed(field.schema)];
  const own = new Map<string, Stage>();
  for (const mark of marks) {
    const rule = readRule(mark);
    if (rule !== undefined) for (const rules of [own, known.rules]) add(rules, rule.parts.join(" "), rule.stage);
    for (const gate of gatesOfMark(mark)) known.gates.add(gate);
  }
  known.rulesOf.set(definition, own);
  return known;
}

function add(rules: Map<string, Stage>, rule: string, stage: Stage): void {
  const before = rules.get(rule);
  if (before === undefined || RANK[stage] > RANK[before]) rules.set(rule, stage);
}

/** So many ways to a type are tried: validation may refuse a type in one place (probes of init containers) and read it in another. */
const MOST_WAYS = 6;

/** Visits the structs below `root`, those that are nearest first, and none in itself. */
function walk(root: StructSchema, visit: (holder: StructSchema, steps: readonly Step[]) => void): void {
  const ways = new Map<string, number>();
  let level: (readonly [StructSchema, readonly Step[]])[] = [[root, []]];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const [holder, steps] of level) {
      visit(holder, steps);
      for (const { name, schema } of holder.fields) {
        const [held, holds] = heldBy(schema);
        if (held.type !== "struct" || held === holder) continue;
        const known = ways.get(held.definition) ?? 0;
        ways.set(held.definition, known + 1);
        if (known < MOST_WAYS) next.push([held, [...steps, { name, holds }]]);
      }
    }
    level = next;
  }
}

/** The type of what is in a list or a map; a struct itself. */
export function heldBy(schema: Schema): readonly [Schema, Step["holds"]] {
  if (schema.type === "list") return [schema.items, "items"];
  if (schema.type === "map") return [schema.values, "values"];
  return [schema, "struct"];
}

/** The marks of Go's fields, those of inlined structs included. */
class Markers {
  readonly #known = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(private readonly go: GoTypes) {}

  of(definition: string, field: string): readonly string[] {
    let fields = this.#known.get(definition);
    if (fields === undefined) {
      fields = new Map(this.#flat(definition).map(({ json = "", markers = [] }) => [json, markers]));
      this.#known.set(definition, fields);
    }
    return fields.get(field) ?? [];
  }

  /** `enum` of a named type. */
  ofNamed(schema: Schema): readonly string[] {
    const [scalar] = heldBy(schema);
    if (scalar.type !== "scalar" || scalar.definition === undefined) return [];
    const marks = this.go.named[scalar.definition]?.markers ?? [];
    const isItem = scalar !== schema;
    return marks
      .map((mark) => (mark === "enum" ? "k8s:enum" : mark))
      .map((mark) => (isItem ? mark.replace(/k8s:enum$/, "k8s:eachVal=+k8s:enum") : mark));
  }

  #flat(definition: string): readonly GoField[] {
    const packageName = definition.slice(0, definition.lastIndexOf("."));
    return (this.go.types[definition]?.fields ?? []).flatMap((field) => {
      if (field.json !== undefined) return [field];
      const [alias = "", name] = field.type.replace(/^\*/, "").split(".");
      const inlined =
        name === undefined ? `${packageName}.${alias}` : `${this.go.imports[packageName]?.[alias]}.${name}`;
      return field.inline === true ? this.#flat(inlined) : [];
    });
  }
}
