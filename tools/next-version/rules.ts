import { featureGatesOf } from "../../src/api/gates/feature-gates.js";
import { builtinRecord } from "../../src/server/builtin/index.js";
import { heldBy, type KnownField, typeId } from "./fields.js";
import type { Stage } from "./marks.js";
import { type Obedience, validates } from "./obedience.js";
import { isInTable, type Sources } from "./sources.js";
import { line, type Line, type VersionData } from "./version-data.js";

type Fields = ReadonlyMap<string, KnownField>;

/** What the lines are made with. */
export interface Judged {
  readonly next: VersionData;
  readonly before: VersionData;
  readonly fields: Fields;
  readonly fieldsBefore: Fields;
  readonly obedience: Obedience;
  readonly sources: Sources;
  /** The lines that were decided for the version before. */
  readonly decidedBefore: ReadonlySet<string>;
}

const GATES_TABLE = "src/api/gates/fields-behind-gates.ts";

/** Fields that came: their rules, the gates they are behind, and those of which marks say nothing. */
export function newFieldLines(judged: Judged): readonly Line[] {
  const { fields, fieldsBefore, sources } = judged;
  return [...fields.values()].flatMap((field) => {
    if (fieldsBefore.has(field.id) || !isJudged(field)) return [];
    const [rules, gates] = [[...field.rules], [...field.gates]];
    const section = "fields" as const;
    const where = whereOf(field, sources);
    if (rules.length === 0 && gates.length === 0) {
      const text = "new, and marks tell no rule: kube-apiserver may have one in code";
      return sources.names(field.name) ? [] : [line(section, [field.id], text, where)];
    }
    return [
      ...rules.flatMap(([rule, stage]) => ruleLine(judged, field, rule, stage, section)),
      ...gateLines(judged, field, gates, section),
    ];
  });
}

/** Rules and gates that came to fields which both versions have, or that left them. */
export function changedMarkLines(judged: Judged): readonly Line[] {
  const { fields, fieldsBefore, obedience, sources } = judged;
  const section = "marks" as const;
  return [...fields.values()].flatMap((field) => {
    const old = fieldsBefore.get(field.id);
    if (old === undefined || !isJudged(field)) return [];
    const came = [...field.rules].filter(([rule, stage]) => stage !== "ALPHA" && old.rules.get(rule) !== stage);
    const left = [...rulesOfBoth(old, field)].filter(
      ([rule, stage]) =>
        stage !== "ALPHA" && (field.rules.get(rule) ?? "ALPHA") === "ALPHA" && !isReplaced(rule, field),
    );
    return [
      ...came.flatMap(([rule, stage]) => ruleLine(judged, field, rule, stage, section, old.rules.get(rule))),
      ...left.flatMap(([rule]) => {
        const gate = /^ifDisabled\((\w+)\)/.exec(rule)?.[1];
        if (gate !== undefined && isOn(gate, judged.next)) return [];
        if (obedience.verdict(field, partsOf(rule), "exact") !== "obeyed") return [];
        const now = field.rules.has(rule) ? "alpha now, so that the API server does not obey it" : "gone";
        return [line(section, [field.id, `-${rule}`], `${rule} is ${now}; we obey it`, whereOf(field, sources))];
      }),
      ...gateLines(
        judged,
        field,
        [...field.gates].filter((gate) => !old.gates.has(gate)),
        section,
      ),
    ];
  });
}

/** Values of string types that came or left. */
export function valueLines({ next, before, fields, obedience, sources }: Judged): readonly Line[] {
  const lines = [...fieldsByValues(fields)].flatMap(([definition, holders]) => {
    const [old, now] = [before.go.values[definition] ?? [], next.go.values[definition] ?? []];
    const [first] = holders;
    if (old.length === 0 || first === undefined) return [];
    const isEnum = next.facts.enums[definition] !== undefined;
    const refusal = (value: string) => holders.find((field) => !obedience.takes(field, value));
    const lineOf = (value: string, text: string, { id }: KnownField): Line =>
      line("fields", [typeId(definition), value], `${value}: ${text} (${id})`, whereOf(first, sources));
    return [
      ...now.flatMap((value) => {
        if (old.includes(value)) return [];
        if (!isEnum) return sources.names(value) ? [] : [lineOf(value, "new value, which no code names", first)];
        const holder = refusal(value);
        return holder === undefined ? [] : [lineOf(value, "new value, which we refuse", holder)];
      }),
      ...old.flatMap((value) => {
        if (now.includes(value) || !isEnum || refusal(value) !== undefined) return [];
        return [lineOf(value, "the value is gone; we take it", first)];
      }),
    ];
  });
  return [...new Map(lines.map((one) => [one.id, one])).values()];
}

/** The fields that are of a string type or a list of it, by the type's full name. */
function fieldsByValues(fields: Fields): ReadonlyMap<string, readonly KnownField[]> {
  const found = new Map<string, KnownField[]>();
  for (const field of fields.values()) {
    for (const { schema } of field.fields.values()) {
      const [scalar] = heldBy(schema);
      if (scalar.type !== "scalar" || scalar.definition === undefined || !isJudged(field)) continue;
      found.set(scalar.definition, [...(found.get(scalar.definition) ?? []), field]);
    }
  }
  return found;
}

/** The rules of the versions that both have: a version that is gone says nothing of the others. */
const rulesOfBoth = (old: KnownField, field: KnownField): ReadonlyMap<string, Stage> =>
  new Map([...old.rulesOf].flatMap(([definition, rules]) => (field.rulesOf.has(definition) ? [...rules] : [])));

/** A resource of its types has a record with hooks that validate; what has none is a line of its own. */
const isJudged = ({ places }: KnownField): boolean =>
  places.some(({ group, plural }) => validates(builtinRecord(group, plural)?.strategy));

/** Whether a field has the same rule with another limit. */
const isReplaced = (rule: string, { rules }: KnownField): boolean => {
  const bare = (text: string): string =>
    (text.split(" ").at(-1) ?? "").replace(/=.*/, "").replace("immutable", "update");
  return [...rules].some(([one, stage]) => stage !== "ALPHA" && bare(one) === bare(rule));
};

/**
 * A version that is not preferred may have another shape (resource.k8s.io/v1beta1), which validation never reads: its rules are those of the fields that have
 * the same names in other types of the group.
 */
function isObeyedInNewerShape({ fields, obedience }: Judged, field: KnownField, rule: string): boolean {
  const family = (type: string): string => type.split(".")[0] ?? "";
  if (field.places.some(({ preferred }) => preferred)) return false;
  return [...fields.values()].some(
    (one) =>
      one.name === field.name &&
      one.type !== field.type &&
      family(one.type) === family(field.type) &&
      one.places.some(({ preferred }) => preferred) &&
      one.rules.has(rule) &&
      obedience.verdict(one, partsOf(rule)) === "obeyed",
  );
}

function ruleLine(
  judged: Judged,
  field: KnownField,
  rule: string,
  stage: Stage,
  section: Line["section"],
  before?: Stage,
): readonly Line[] {
  const { obedience, sources, next } = judged;
  const gate = /^ifDisabled\((\w+)\) forbidden$/.exec(rule)?.[1];
  if (gate !== undefined && (isInTable(gate, field.name) || isOn(gate, next))) return [];
  const verdict = obedience.verdict(field, partsOf(rule));
  if (verdict === "obeyed" || isObeyedInNewerShape(judged, field, rule)) return [];
  // It was obeyed before, and cannot be turned off any more.
  if (before === "BETA" && (verdict === "cannot be tried" || judged.decidedBefore.has(`${field.id} ${rule}`)))
    return [];
  const how = verdict === "broken" ? "no rule here" : "look whether there is a rule: it cannot be tried";
  const stages = before === undefined ? stage : `${before} -> ${stage}`;
  return [line(section, [field.id, rule], `${rule} (${stages}): ${how}`, whereOf(field, sources))];
}

/** A condition may have spaces: "item(type: Approved)". */
const partsOf = (rule: string): readonly string[] => rule.split(/ (?![^()]*\))/);

const isOn = (gate: string, { version }: VersionData): boolean => featureGatesOf(version).get(gate)?.enabled === true;

/** A field is dropped while its gate is off, or a rule forbids it then. */
function gateLines(
  { next }: Judged,
  field: KnownField,
  gates: readonly string[],
  section: Line["section"],
): readonly Line[] {
  return gates
    .filter((gate) => !isOn(gate, next) && !isInTable(gate, field.name))
    .map((gate) =>
      line(
        section,
        [field.id, `featureGate=${gate}`],
        `behind the gate ${gate}, which is off: nothing drops it`,
        GATES_TABLE,
      ),
    );
}

function whereOf({ type, places }: KnownField, sources: Sources): string {
  const family = type.split(".")[0] ?? "";
  const place =
    places.find(({ group }) => (group.split(".")[0] || "core") === family) ??
    places.find(({ group, plural }) => builtinRecord(group, plural) !== undefined);
  return sources.recordOf(place?.group ?? "", place?.plural ?? "");
}
