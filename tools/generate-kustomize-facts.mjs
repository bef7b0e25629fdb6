// Writes src/kustomize/facts/kubernetes-1.21.json: what kustomize 5.8 knows of Kubernetes' kinds, which is what OpenAPI said of
// them in 1.21: which lists are merged by which keys, and which kinds have no namespace.
// Usage: node tools/generate-kustomize-facts.mjs BUNDLE, a JSON file (gzipped or not) that holds `definitions` as in a swagger.json
// and `resources`, a list of { apiVersion, kind, definition, scope }.
//
// types: { name: { field: "type" or ["type of the elements or empty", merge key ...] } }, only what leads to lists that are merged;
// kinds: { "apps/v1/Deployment": "type" }; cluster: ["v1/Namespace", ...].
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const source = process.argv[2];
if (source === undefined) {
  process.stderr.write("usage: node tools/generate-kustomize-facts.mjs BUNDLE\n");
  process.exit(1);
}
const bytes = readFileSync(source);
const { definitions, resources } = JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8"));

/** Known to kustomize without a schema. */
const ADDED_CLUSTER_KINDS = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"].map(
  (kind) => `admissionregistration.k8s.io/v1/${kind}`,
);
const ADDED_CLUSTER_KINDS_OF_CORE = ["v1/NodeProxyOptions"];

const refOf = (schema) => schema?.$ref?.replace("#/definitions/", "") ?? "";

/** Only `merge`, alone or with retainKeys, makes a list one that is merged. */
function fieldOf(schema) {
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (schema.type === "array") {
    if (!strategy?.split(",").includes("merge")) return undefined;
    const key = schema["x-kubernetes-patch-merge-key"];
    const keys = schema["x-kubernetes-list-map-keys"] ?? (key === undefined ? [] : [key]);
    return [refOf(schema.items), ...keys];
  }
  return refOf(schema) === "" ? undefined : refOf(schema);
}

const fields = new Map();
for (const [name, { properties = {} }] of Object.entries(definitions)) {
  const found = Object.entries(properties)
    .map(([field, schema]) => [field, fieldOf(schema)])
    .filter(([, value]) => value !== undefined);
  fields.set(name, found);
}

const leads = new Map();
function leadsToLists(name, seen = new Set()) {
  if (seen.has(name)) return false;
  seen.add(name);
  return (fields.get(name) ?? []).some(([, value]) => Array.isArray(value) || leadsToLists(value, seen));
}
for (const name of fields.keys()) leads.set(name, leadsToLists(name));

const short = (name) => name.replace(/^io\.k8s\.(?:api|apimachinery\.pkg\.apis)\./, "");
const types = {};
for (const [name, found] of fields) {
  if (!leads.get(name)) continue;
  const kept = found
    .filter(([, value]) => Array.isArray(value) || leads.get(value))
    .map(([field, value]) =>
      Array.isArray(value)
        ? [field, [leads.get(value[0]) ? short(value[0]) : "", ...value.slice(1)]]
        : [field, short(value)],
    );
  types[short(name)] = Object.fromEntries(kept);
}

const kinds = {};
for (const [name, definition] of Object.entries(definitions)) {
  for (const { group, version, kind } of definition["x-kubernetes-group-version-kind"] ?? []) {
    const id = `${group === "" ? "" : `${group}/`}${version}/${kind}`;
    if (leads.get(name) && !/(?:List|DeleteOptions|WatchEvent)$/.test(kind)) kinds[id] = short(name);
  }
}
const cluster = resources
  .filter(({ scope }) => scope === "Cluster")
  .map(({ apiVersion, kind }) => `${apiVersion}/${kind}`)
  .concat(ADDED_CLUSTER_KINDS, ADDED_CLUSTER_KINDS_OF_CORE)
  .toSorted();

const target = join(import.meta.dirname, "../src/kustomize/facts/kubernetes-1.21.json");
writeFileSync(target, `${JSON.stringify({ types, kinds, cluster: [...new Set(cluster)] })}\n`);
