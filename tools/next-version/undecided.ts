import { newestRelease, type Release, releaseOf, SERVED_VERSIONS } from "../../src/api/facts/index.js";
import { carriedLines } from "./carried.js";
import { componentChanges, componentLines } from "./components.js";
import decisions from "./decisions.json" with { type: "json" };
import { fieldsOf } from "./fields.js";
import { behaviourLines, rowLines, unmarkedLines } from "./gates.js";
import { recordLines, resourceLines } from "./kinds.js";
import { Obedience } from "./obedience.js";
import { changedMarkLines, type Judged, newFieldLines, valueLines } from "./rules.js";
import { Sources } from "./sources.js";
import { descriptionLines, warningLines } from "./texts.js";
import { line, type Line, type VersionData } from "./version-data.js";

/** By version: what a person decided, with the reason. */
export type Decisions = Readonly<
  Record<string, readonly { readonly reason: string; readonly of: readonly string[] }[]>
>;

export interface Versions {
  readonly next: VersionData;
  /** The version before, which is served. */
  readonly before: VersionData;
  /** The project's folder. */
  readonly root: string;
  /** Default: decisions.json. */
  readonly decisions?: Decisions;
}

/** What a person must decide before a version is served, or for one that is served: what is not decided yet. */
export async function undecided({
  next,
  before,
  root,
  decisions: table = decisions,
}: Versions): Promise<readonly Line[]> {
  const releases = await Promise.all(SERVED_VERSIONS.map((version) => releaseOf(version)));
  const release = releases.find(({ version }) => version === next.version);
  const lines = allLines({ next, before, root, decisions: table }, release, releases);
  const made = new Set(lines.map(({ id }) => id));
  const decided = idsOf(table, next.version);
  const isDecided = new Set(decided);
  return [
    ...lines.filter(({ id }) => !isDecided.has(id)),
    ...decided
      .filter((id) => !made.has(id))
      .map((id) => line("decisions", [id], "no line has this id", "tools/next-version/decisions.json")),
  ];
}

const idsOf = (table: Decisions, version: string): readonly string[] => (table[version] ?? []).flatMap(({ of }) => of);

/** Decided or not. */
function allLines(
  { next, before, root, decisions: table = decisions }: Versions,
  release: Release | undefined,
  releases: readonly Release[],
) {
  const sources = new Sources(root);
  // What the generator makes is done once it is committed.
  const base = release?.facts ?? before.facts;
  const [fields, fieldsBefore] = [fieldsOf(next), fieldsOf(before)];
  const obedience = new Obedience(release ?? newestRelease);
  const decidedBefore = new Set(idsOf(table, before.version));
  const judged: Judged = { next, before, fields, fieldsBefore, obedience, sources, decidedBefore };
  const lines = [
    ...resourceLines(next, base, sources),
    ...recordLines(
      next,
      before,
      releases.map(({ facts }) => facts),
    ),
    ...carriedLines(next, base),
    ...newFieldLines(judged),
    ...valueLines(judged),
    ...changedMarkLines(judged),
    ...rowLines(next, before, fields, fieldsBefore),
    ...unmarkedLines(next, before, fields, fieldsBefore),
    ...behaviourLines(next, before, sources),
    ...descriptionLines(next),
    ...warningLines(next, release === undefined ? before.facts : next.facts),
    ...componentLines(next, sources),
    ...componentChanges(next, before),
  ];
  return [...new Map(lines.map((line) => [`${line.section} ${line.id}`, line])).values()];
}
