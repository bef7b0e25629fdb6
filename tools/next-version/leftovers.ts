import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import gates from "../../src/api/gates/gates.json" with { type: "json" };
import { minorOf } from "../../src/machinery/served-versions.js";
import { GROUPS_OF, VERSIONS } from "../api-facts/versions.mjs";
import decisions from "./decisions.json" with { type: "json" };

/** Code that holds of this version and later ones, or until it is there. */
const SINCE = /(?:[aA]tLeast\([^()"]*|\b(?:since|removed|version): )"(1\.\d+)"/g;
/** Code that holds up to this version. */
const UNTIL = /\b(?:until|deprecatedUntil): "(1\.\d+)"/g;

/** Files with facts or data of one version. */
const OF_VERSION = /^kubernetes-(1\.\d+)-(?:api|go-types|gates|components|delta)\.json/;

/**
 * What is left of versions that are served no more, as "file: what", when those in `served` are: code that asks what is always so, rows of tables, files.
 * `root` is the project's folder.
 */
export function leftovers(root: string, served: readonly string[]): readonly string[] {
  const oldest = Math.min(...served.map(minorOf));
  const isOld = (version: string): boolean => minorOf(version) <= oldest;
  return [
    ...sources(root).flatMap(([path, text]) => [
      ...[...text.matchAll(SINCE)].flatMap(([words, version = ""]) =>
        isOld(version) ? [`${path}: ${words.trim()}`] : [],
      ),
      ...[...text.matchAll(UNTIL)].flatMap(([words, version = ""]) =>
        minorOf(version) < oldest ? [`${path}: ${words.trim()}`] : [],
      ),
    ]),
    ...Object.entries(gates as unknown as Readonly<Record<string, readonly (readonly [string, string])[]>>)
      .filter(([, rows]) => rows.some(([since, stage]) => stage === "REMOVED" && isOld(since)))
      .map(([name]) => `src/api/gates/gates.json: ${name} is known no more`),
    ...["tools/api-data", "src/api/facts/data"].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => isUnserved(OF_VERSION.exec(file)?.[1], served))
        .map((file) => `${folder}: ${file}`),
    ),
    ...[...new Set([...VERSIONS, ...Object.keys(GROUPS_OF)])]
      .filter((version) => isUnserved(version, served))
      .map((version) => `tools/api-facts/versions.mjs: ${version}`),
    ...Object.keys(decisions)
      .filter(isOld)
      .map((version) => `tools/next-version/decisions.json: ${version} has no older version beside it`),
  ];
}

const isUnserved = (version: string | undefined, served: readonly string[]): boolean =>
  version !== undefined && !served.includes(version);

function sources(root: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll(sep, "/")}`)
    .filter((path) => path.endsWith(".ts") && !/^src\/api\/(types|facts)\//.test(path))
    .map((path) => [path, readFileSync(join(root, path), "utf8")]);
}
