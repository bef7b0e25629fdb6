import { descriptionOf } from "../../src/api/descriptions/index.js";
import { describedAt } from "../../src/api/descriptions/file-of.js";
import type { FactsFile, ResourceEntry } from "../../src/api/facts/data.js";
import { Definitions } from "../../src/api/facts/definitions.js";
import { readResource } from "../../src/api/facts/resources.js";
import { minorOf } from "../../src/machinery/served-versions.js";
import { typeId } from "./fields.js";
import { line, type Line, type VersionData } from "./version-data.js";

/** Types and fields without a description of ours. */
export function descriptionLines({ facts }: VersionData): readonly Line[] {
  const definitions = new Definitions(facts);
  const missing = new Map<string, Set<string>>();
  const files = new Map<string, string>();
  for (const definition of definitions.names()) {
    const isKind = definitions.kindsOf(definition).length > 0;
    const fields = definitions.structOf(definition)?.fields ?? [];
    if (fields.length === 0) continue;
    const lacks = ["", ...fields.map(({ name }) => name)].filter(
      (field) =>
        descriptionOf(definition, field, isKind) === undefined && !(field === "" && definition.endsWith("List")),
    );
    if (lacks.length === 0) continue;
    const id = typeId(definition);
    missing.set(id, new Set([...(missing.get(id) ?? []), ...lacks]));
    files.set(id, `src/api/descriptions/${describedAt(definition)?.file ?? id.split(".")[0]}.json`);
  }
  return [...missing].map(([id, lacks]) => {
    const text = `no description of ${[...lacks].map((field) => field || "the type").join(", ")}`;
    return line("texts", [id, "description"], text, files.get(id) ?? "");
  });
}

/**
 * Warnings of deprecated versions that came, left or have other words. `base` are the facts that are committed for the version, or those of the newest
 * served one.
 */
export function warningLines(next: VersionData, base: Pick<FactsFile, "resources">): readonly Line[] {
  const minor = minorOf(next.version);
  const warningsOf = (resources: readonly ResourceEntry[], at: number) =>
    new Map(resources.map((one) => [`${one.groupVersion} ${one.name}`, readResource(one, at).deprecationWarning]));
  const isMade = base.resources === next.facts.resources;
  const [old, now] = [warningsOf(base.resources, isMade ? minor : minor - 1), warningsOf(next.facts.resources, minor)];
  return [...now].flatMap(([id, text]) => {
    if (text === old.get(id)) return [];
    const told = text === undefined ? `no warning any more: "${old.get(id)}"` : `new warning: "${text}"`;
    return [line("texts", [id, "warning"], told, "src/api/facts/resources.ts")];
  });
}
