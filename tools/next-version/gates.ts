import { type FeatureGate, featureGatesOf } from "../../src/api/gates/feature-gates.js";
import type { KnownField } from "./fields.js";
import { gateOfCondition, gatesOfMark } from "./marks.js";
import type { Sources } from "./sources.js";
import { type GatesData, line, type Line, type VersionData } from "./version-data.js";

type Fields = ReadonlyMap<string, KnownField>;
type Rows = GatesData[string];

const TABLE = "src/api/gates/gates.json";
const OBEYED = "src/cluster/apiserver/feature-gates.ts, docs/kubernetes-versions.md";

/** Rows of gates.json that the data have otherwise, and gates that marks name and no row has. */
export function rowLines(next: VersionData, before: VersionData, fields: Fields, old: Fields): readonly Line[] {
  const gates = featureGatesOf(next.version);
  const rowLine = (id: string, text: string): Line => line("gates", [id, "row"], text, TABLE);
  const told = Object.entries(next.gates ?? {}).flatMap(([name, rows]) => {
    const [own, theirs] = [describe(gates.get(name)), describeRow(rows, next.version)];
    return own === theirs ? [] : [rowLine(name, own === NONE ? `new: ${theirs}` : `${own} -> ${theirs}`)];
  });
  const gone = Object.keys(before.gates ?? {})
    .filter((name) => next.gates !== undefined && next.gates[name] === undefined && gates.has(name))
    .map((name) => rowLine(name, `gone; it was ${describe(gates.get(name))}`));
  const known = marked(before, old);
  const unknown = [...marked(next, fields)]
    .filter(([name]) => !gates.has(name) && !known.has(name) && next.gates?.[name] === undefined)
    .map(([name, at]) => rowLine(name, `new, no row: marks of ${few(at)} name it`));
  return [...told, ...gone, ...unknown];
}

/** Gates that came or that are on or off now and were not, and that no code goes by. */
export function behaviourLines(next: VersionData, before: VersionData, sources: Sources): readonly Line[] {
  const [old, now] = [featureGatesOf(before.version), featureGatesOf(next.version)];
  const isOn = (gate: FeatureGate | undefined): boolean => gate?.enabled === true;
  return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    const isNew = was === undefined;
    const isGone = is === undefined;
    // A stable feature whose gate is gone stays on.
    const changed = isGone ? !isOn(was) || was?.locked !== true : isNew || isOn(was) !== isOn(is);
    if (!changed || sources.asks(name, isGone ? before.version : next.version)) return [];
    const text = `${describe(was)} -> ${describe(is)}: no code goes by it`;
    return [line("gates", [name, "behaviour"], text, OBEYED)];
  });
}

/** Gates that fields were marked with and are not any more, though the table says that they are off. */
export function unmarkedLines(next: VersionData, before: VersionData, fields: Fields, old: Fields): readonly Line[] {
  const gates = featureGatesOf(next.version);
  const now = marked(next, fields);
  return [...marked(before, old)].flatMap(([name, at]) => {
    if (gates.get(name)?.enabled === true || !gates.has(name)) return [];
    const left = at.filter((place) => !now.get(name)?.includes(place) && (fields.has(place) || !old.has(place)));
    const text = `${describe(gates.get(name))}, and no mark any more at ${few(left)}: it may be stable`;
    return left.length === 0 ? [] : [line("gates", [name, "marks"], text, TABLE)];
  });
}

/** Where marks name gates: fields and values, by gate. */
function marked({ go }: VersionData, fields: Fields): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const note = (gate: string, at: string): void => void found.set(gate, [...(found.get(gate) ?? []), at]);
  for (const { id, gates, rules } of fields.values()) {
    const conditions = [...rules.keys()].flatMap((rule) => gateOfCondition(rule.split(" ")[0] ?? "") ?? []);
    for (const gate of new Set([...gates, ...conditions])) note(gate, id);
  }
  for (const [value, mark] of Object.entries(go.valueMarkers ?? {})) {
    for (const gate of gatesOfMark(mark)) note(gate, value.split(".").slice(-2).join("."));
  }
  return found;
}

const NONE = "none";

function describe(gate: FeatureGate | undefined): string {
  if (gate === undefined) return NONE;
  return `${gate.stage === "" ? "GA" : gate.stage} ${gate.enabled ? "on" : "off"}${gate.locked ? " locked" : ""}`;
}

function describeRow(rows: Rows, version: string): string {
  const minor = (text: string): number => Number(text.split(".")[1]);
  const row = rows.findLast((one) => minor(one.version) <= minor(version));
  if (row === undefined || row.stage === "REMOVED") return NONE;
  return `${row.stage} ${row.default ? "on" : "off"}${row.locked === true ? " locked" : ""}`;
}

const few = (names: readonly string[]): string =>
  names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ");
