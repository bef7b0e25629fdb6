import type { FactsFile, ResourceEntry } from "../../src/api/facts/data.js";
import { builtinRecord } from "../../src/server/builtin/index.js";
import { fieldsOf } from "./fields.js";
import { validates } from "./obedience.js";
import { recordIds, type Sources } from "./sources.js";
import { line, type Line, type VersionData } from "./version-data.js";

type Facts = Pick<FactsFile, "resources" | "groups">;

const VERSIONS_TABLE = "tools/api-facts/versions.mjs";

/**
 * Resources, their versions, verbs and subresources that came or left. `base` are the facts that are committed for the version, or those of the newest
 * served one: what they have already is made.
 */
export function resourceLines(next: VersionData, base: Facts, sources: Sources): readonly Line[] {
  const [came, left] = [byId(next.facts.resources), byId(base.resources)];
  return [
    ...[...came].flatMap(([id, resource]) => {
      const [group, plural] = [groupOf(resource), resource.name];
      const old = left.get(id);
      const where = sources.recordOf(group, plural);
      if (old !== undefined) return changes(old, resource).map((text) => line("kinds", [id, text], text, where));
      const isKnown = base.resources.some((one) => groupOf(one) === group && one.name === plural);
      if (!isKnown) {
        const text = `new resource ${resource.kind} (${verbsOf(resource)}): place among groups, short names, categories, columns`;
        return [line("kinds", [id], text, `${VERSIONS_TABLE}, ${where}`)];
      }
      const text = "new version: its place in the group's order, and its conversion";
      return [line("kinds", [id], text, `${VERSIONS_TABLE}, src/api/conversion`)];
    }),
    ...[...left].flatMap(([id, { removed }]) => {
      if (came.has(id)) return [];
      const planned = removed === undefined ? "which no life cycle told" : `as its life cycle told for ${removed}`;
      return [line("kinds", [id], `gone, ${planned}: older versions keep it by their delta`, VERSIONS_TABLE)];
    }),
    ...storedLines(next.facts.resources, base.resources),
  ];
}

/** Resources that are stored in another version: one line for all versions of a resource. */
function storedLines(now: readonly ResourceEntry[], base: readonly ResourceEntry[]): readonly Line[] {
  const old = byId(base);
  const changed = now.filter((one) => {
    const was = old.get(`${one.groupVersion} ${one.name}`);
    return was !== undefined && was.storageVersionHash !== one.storageVersionHash;
  });
  return [...new Set(changed.map(idOf))].map((id) =>
    line(
      "kinds",
      [id, "storage"],
      "stored in another version; what is stored already is converted when it is read",
      "src/api/facts/stored-version.ts",
    ),
  );
}

/** Resources without code of their own. */
export function recordLines(next: VersionData, before: VersionData, served: readonly Facts[]): readonly Line[] {
  const known = new Set(before.facts.resources.map(idOf));
  const ids = [...new Set(next.facts.resources.map(idOf))].filter((id) => !known.has(id));
  const rules = rulesByResource(next);
  const anywhere = new Set([next.facts, ...served].flatMap(({ resources }) => resources.map(idOf)));
  return [
    ...ids.flatMap((id): readonly Line[] => {
      const [group = "", plural = ""] = id.split("/");
      const record = builtinRecord(group, plural);
      const family = group.split(".")[0] || "core";
      const where = `src/server/builtin/${family}/, src/api/validation/${family}/`;
      const marked = `marks tell ${rules.get(id) ?? 0} rules of its fields`;
      if (record === undefined) return [line("kinds", [id, "record"], `no record: ${marked}`, where)];
      if (validates(record.strategy) || record.handlers !== undefined) return [];
      return [line("kinds", [id, "validation"], `no validation: ${marked}`, where)];
    }),
    ...[...recordIds()]
      .filter((id) => !anywhere.has(id))
      .map((id) => line("kinds", [id, "record"], "a record of what no served version has", "src/server/builtin/")),
  ];
}

const groupOf = ({ groupVersion }: Pick<ResourceEntry, "groupVersion">): string =>
  groupVersion.includes("/") ? (groupVersion.split("/")[0] ?? "") : "";

/** "<group>/<resource>", as records name it. */
const idOf = (resource: ResourceEntry): string => `${groupOf(resource)}/${resource.name}`;

const byId = (resources: readonly ResourceEntry[]): ReadonlyMap<string, ResourceEntry> =>
  new Map(resources.map((one) => [`${one.groupVersion} ${one.name}`, one]));

const verbsOf = ({ verbs, subresources = {} }: ResourceEntry): string =>
  [verbs.join(" "), ...Object.keys(subresources).map((name) => `/${name}`)].join(", ");

/** What differs in a version of a resource that both have. */
function changes(old: ResourceEntry, now: ResourceEntry): readonly string[] {
  const verbs = differences(old.verbs, now.verbs);
  const [before, after] = [old.subresources ?? {}, now.subresources ?? {}];
  return [
    ...verbs.map((verb) => `verb ${verb}`),
    ...differences(Object.keys(before), Object.keys(after)).map((name) => `subresource ${name}`),
    ...Object.entries(after).flatMap(([name, sub]) => {
      const was = before[name];
      if (was === undefined || sub === undefined) return [];
      const kind = was.kind === sub.kind ? [] : [`subresource ${name}: kind ${was.kind} -> ${sub.kind}`];
      return [...kind, ...differences(was.verbs, sub.verbs).map((verb) => `subresource ${name}: verb ${verb}`)];
    }),
    ...(old.namespaced === now.namespaced ? [] : [now.namespaced === true ? "namespaced now" : "of the cluster now"]),
  ];
}

/** "+new" and "-gone". */
const differences = (old: readonly string[], now: readonly string[]): readonly string[] => [
  ...now.filter((one) => !old.includes(one)).map((one) => `+${one}`),
  ...old.filter((one) => !now.includes(one)).map((one) => `-${one}`),
];

function rulesByResource(next: VersionData): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { type, rules, places } of fieldsOf(next).values()) {
    if (type.startsWith("meta.")) continue;
    for (const id of new Set(places.map(({ group, plural }) => `${group}/${plural}`))) {
      counts.set(id, (counts.get(id) ?? 0) + rules.size);
    }
  }
  return counts;
}
