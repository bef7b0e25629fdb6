import type { FactsDelta, FactsFile, ResourceEntry, UnpublishedDelta, UnpublishedFile } from "./data.js";

/** The facts of an older version: those of the newest with its delta. Equal to what the generator makes of that version's data alone. */
export function factsWithDelta(newest: FactsFile, delta: FactsDelta): FactsFile {
  return {
    source: delta.source ?? newest.source,
    digest: delta.digest ?? newest.digest,
    groups: delta.groups ?? newest.groups,
    resources: resourcesWithDelta(newest.resources, delta.resources),
    kinds: linesWithDelta(newest.kinds, delta.kinds),
    unions: linesWithDelta(newest.unions, delta.unions),
    enums: linesWithDelta(newest.enums, delta.enums),
    definitions: packagesWithDelta(newest.definitions, delta.definitions),
  };
}

/** As {@link factsWithDelta}, for the kinds that no OpenAPI has. */
export function unpublishedWithDelta(newest: UnpublishedFile, delta: UnpublishedDelta): UnpublishedFile {
  return {
    kinds: linesWithDelta(newest.kinds, delta.kinds),
    enums: linesWithDelta(newest.enums, delta.enums),
    definitions: packagesWithDelta(newest.definitions, delta.definitions),
  };
}

function resourcesWithDelta(
  newest: readonly ResourceEntry[],
  delta: FactsDelta["resources"],
): readonly ResourceEntry[] {
  const idOf = ({ groupVersion, name }: { groupVersion: string; name: string }): string => `${groupVersion} ${name}`;
  const byId = new Map(newest.map((resource) => [idOf(resource), resource]));
  for (const one of delta) {
    if ("absent" in one) byId.delete(idOf(one));
    else byId.set(idOf(one), one);
  }
  return [...byId.values()].sort((a, b) => compare(a.groupVersion, b.groupVersion) || compare(a.name, b.name));
}

function linesWithDelta<Line>(
  newest: Readonly<Record<string, Line>>,
  delta: Readonly<Record<string, Line | null>>,
): Readonly<Record<string, Line>> {
  const lines = new Map(Object.entries(newest));
  for (const [key, line] of Object.entries(delta)) {
    if (line === null) lines.delete(key);
    else lines.set(key, line);
  }
  return sorted(lines);
}

function packagesWithDelta(
  newest: FactsFile["definitions"],
  delta: FactsDelta["definitions"],
): FactsFile["definitions"] {
  const packages = new Map(Object.entries(newest));
  for (const [name, lines] of Object.entries(delta)) {
    if (lines === null) packages.delete(name);
    else packages.set(name, linesWithDelta(packages.get(name) ?? {}, lines));
  }
  return sorted(packages);
}

/** The generator sorts tables by key, and OpenAPI has definitions in that order. */
const sorted = <Line>(lines: ReadonlyMap<string, Line>): Readonly<Record<string, Line>> =>
  Object.fromEntries([...lines].sort(([a], [b]) => compare(a, b)));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
