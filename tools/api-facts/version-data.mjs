// Reads the extracted data of a version of Kubernetes from a folder, plain or compressed, and makes its facts in memory.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { factsOfData } from "./facts-of-version.mjs";
import { GROUPS_OF, VERSIONS } from "./versions.mjs";

/** What the files are called: kubernetes-1.38-api.json. The first two there must be. */
export const PARTS = ["api", "go-types", "gates", "components"];

/** As `VersionData` of tools/next-version/version-data.ts. Throws an Error that says what is missing or cannot be read. */
export function readVersionData(folder, name) {
  const version = /^v?(1\.\d+)(?:[.-].*)?$/.exec(name)?.[1];
  if (version === undefined) throw new Error(`"${name}" is no version of Kubernetes, such as 1.38 or 1.38-beta.0`);
  const [openApi, go, gates, components] = PARTS.map((part) =>
    readPart(join(folder, `kubernetes-${name}-${part}.json`)),
  );
  for (const [value, part] of [
    [openApi, "api"],
    [go, "go-types"],
  ]) {
    if (value === undefined) throw new Error(`${folder} has no kubernetes-${name}-${part}.json, plain or with .gz`);
  }
  return { ...dataWithFacts({ version, openApi, go, gates, components }), name };
}

/** The same of data that are in memory already. */
export function dataWithFacts({ version, openApi, go, gates, components }) {
  const groups = GROUPS_OF[version] ?? assumedGroups(openApi);
  const { published } = factsOfData({ kubernetes: version, groups, openApi, go });
  return { name: version, version, go, gates, components, facts: published };
}

/** The served version that one is compared with: the newest that is older. Undefined for the oldest. */
export function versionBefore(version) {
  const minorOf = (text) => Number(text.split(".")[1]);
  return VERSIONS.find((one) => minorOf(one) < minorOf(version));
}

/** The order of the newest served version, with new versions by their stability, and new groups at the end. */
function assumedGroups(openApi) {
  const groups = new Map(GROUPS_OF[VERSIONS[0]].map(({ name }) => [name, []]));
  for (const { groupVersion } of openApi.resources) {
    const [group, version] = groupVersion.includes("/") ? groupVersion.split("/") : ["", groupVersion];
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) groups.set(group, [...versions, version]);
  }
  return [...groups]
    .filter(([, versions]) => versions.length > 0)
    .map(([name, versions]) => ({ name, versions: versions.toSorted((a, b) => rank(b) - rank(a)) }));
}

/** v2 before v1 before v1beta2 before v1alpha3. */
function rank(version) {
  const [, major, stage, minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return { alpha: 0, beta: 1e6 }[stage] ?? 2e6 + Number(major) * 1e3 + Number(minor);
}

function readPart(path) {
  const found = [path, `${path}.gz`].find((one) => existsSync(one));
  if (found === undefined) return undefined;
  try {
    const bytes = readFileSync(found);
    return JSON.parse(found.endsWith(".gz") ? gunzipSync(bytes).toString() : bytes.toString());
  } catch (error) {
    throw new Error(`${found}: ${error.message}`, { cause: error });
  }
}
