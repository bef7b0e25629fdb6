// Writes src/api/facts/data, the API facts in the compact form that src/api/facts/definitions.ts reads. Of the newest version of Kubernetes:
// kubernetes-1.37.json, and unpublished.json, the same of kinds that its OpenAPI lacks: versions no longer served, for conversion,
// and what is sent without being a resource. Of each older version kubernetes-1.36-delta.json: what it has in place of both.
// Usage: node tools/generate-api-facts.mjs [FOLDER], which writes into FOLDER instead.
// It reads tools/api-data; CONTRIBUTING.md says where the data come from.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { deltaOf } from "./api-facts/delta.mjs";
import { factsOfVersion } from "./api-facts/facts-of-version.mjs";
import { VERSIONS } from "./api-facts/versions.mjs";

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../src/api/facts/data"));

const lines = (object) =>
  Object.entries(object)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join(",\n");
const block = (object) => `{\n${lines(object)}}`;
const packages = (definitions) =>
  `{\n${Object.entries(definitions)
    .map(([name, types]) => `${JSON.stringify(name)}:${types === null ? "null" : block(types)}`)
    .join(",\n")}}`;

/** Tables with a line for each value, so that a change is easy to read. */
function textOf({ source, digest, groups, resources, kinds, unions, enums, definitions }) {
  const parts = {
    source: source && JSON.stringify(source),
    digest: digest && JSON.stringify(digest),
    groups: groups && JSON.stringify(groups),
    resources: resources && `[\n${resources.map((resource) => JSON.stringify(resource)).join(",\n")}]`,
    kinds: block(kinds),
    unions: unions && block(unions),
    enums: block(enums),
    definitions: packages(definitions),
  };
  const known = Object.entries(parts).filter(([, text]) => text !== undefined);
  return `{${known.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",\n")}}`;
}

function write(name, text) {
  const target = join(folder, name);
  writeFileSync(target, `${text}\n`);
  process.stdout.write(`${target}: ${text.length} bytes\n`);
}

/** The digest is of all the rest, in this order. */
function withDigest(published) {
  const digest = createHash("sha512").update(JSON.stringify(published)).digest("hex").toUpperCase();
  return { ...published, digest };
}

const [newest, ...older] = VERSIONS.map((version) => {
  const { published, unpublished } = factsOfVersion(version);
  return { version, published: withDigest(published), unpublished };
});
write(`kubernetes-${newest.version}.json`, textOf(newest.published));
write("unpublished.json", textOf(newest.unpublished));
for (const { version, published, unpublished } of older) {
  const [delta, behind] = [deltaOf(newest.published, published), deltaOf(newest.unpublished, unpublished)];
  write(`kubernetes-${version}-delta.json`, `{"published":${textOf(delta)},\n"unpublished":${textOf(behind)}}`);
}
