// The API facts of one version of Kubernetes, of the data of tools/api-data.
//
// A definition is one line, "@attribute=value" words first, then its fields in Go's encoding order, all joined by ";":
//   name flags type [key=value ...]
// flags: o omitempty, z omitzero, r required, - none. type: "*" pointer, "[]" list, "{}" map, then a scalar (lower case)
// or a definition ("Name" in the same package, "core.v1.Name" elsewhere). Keys: p protobuf number ("2.1": field 1 of
// the inlined message 2), n and o the Go names of the scalar in it and of the list or map it is, d default (JSON),
// i the Go fields of the inlined structs it lies in, s patch strategy, k patch merge key, l list type, m list map keys, t map type.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { GROUPS_OF, storedKind } from "./versions.mjs";

const data = join(import.meta.dirname, "../api-data");
const read = (name) => JSON.parse(gunzipSync(readFileSync(join(data, `${name}.gz`))));

/** The extracted data of a version that tools/api-data has. */
export const dataOfVersion = (kubernetes) => ({
  openApi: read(`kubernetes-${kubernetes}-api.json`),
  go: read(`kubernetes-${kubernetes}-go-types.json`),
});

const discovery = read("kubernetes-1.20-discovery-and-columns.json");

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const SCALARS = new Map([
  ["string", "string"],
  ["bool", "bool"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["float64", "float64"],
  ["interface{}", "any"],
  [`${META}.Time`, "time"],
  [`${META}.MicroTime`, "microTime"],
  [`${META}.Duration`, "duration"],
  [`${META}.FieldsV1`, "any"],
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", "quantity"],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", "intOrString"],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", "any"],
  ["io.k8s.apimachinery.pkg.runtime.Object", "any"],
]);
for (const name of ["JSON", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"]) {
  for (const version of ["v1", "v1beta1"]) {
    SCALARS.set(`io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${name}`, "any");
  }
}
// Types that OpenAPI shows under a name of their own although they are scalars.
const NAMED_ANY = new Set(
  [...SCALARS].filter(([name, scalar]) => scalar === "any" && name.startsWith("io.")).map(([name]) => name),
);
// String types of packages that the Go data leaves out.
const STRING_TYPES = new Set(["io.k8s.apimachinery.pkg.types.UID", "io.k8s.apimachinery.pkg.types.NodeName"]);
// Kinds that are on the wire but in no resource's OpenAPI.
const EXTRA = [
  "Table",
  "TableColumnDefinition",
  "TableRow",
  "TableRowCondition",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
  "ListOptions",
  "GetOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
  "List",
].map((name) => `${META}.${name}`);

/** `published` is what the version's OpenAPI has, `unpublished` its kinds that OpenAPI lacks. */
export const factsOfVersion = (kubernetes) =>
  factsOfData({ kubernetes, groups: GROUPS_OF[kubernetes], ...dataOfVersion(kubernetes) });

/** The facts of a version by its extracted data and the order of its groups. */
export function factsOfData({ kubernetes, groups, openApi, go }) {
  const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const split = (definition) => {
    const dot = definition.lastIndexOf(".");
    return [definition.slice(0, dot), definition.slice(dot + 1)];
  };
  const aliasOf = (packageName) => packageName.split(".").slice(-2).join(".");

  /**
   * A Go type expression, seen from a package: `prefix` of lists and maps, `base`, the name of the scalar in it (`named`)
   * and the name of the whole when that is a list or map type (`outer`).
   */
  function resolveType(expression, packageName) {
    let rest = expression;
    let pointer = false;
    let prefix = "";
    if (rest.startsWith("*")) {
      pointer = true;
      rest = rest.slice(1);
    }
    let outer = "";
    for (;;) {
      if (rest === "[]byte") return { pointer, prefix, base: "bytes", named: "", outer };
      if (rest.startsWith("[]*")) throw new Error(`list of pointers: ${expression}`);
      if (rest.startsWith("[]")) {
        prefix += "[]";
        rest = rest.slice(2);
        continue;
      }
      const map = /^map\[[^\]]+\]/.exec(rest);
      if (map) {
        prefix += "{}";
        rest = rest.slice(map[0].length);
        continue;
      }
      if (SCALARS.has(rest)) return { pointer, prefix, base: SCALARS.get(rest), named: "", outer };
      let full;
      if (rest.includes(".")) {
        const [local, name] = rest.split(".");
        const imported = go.imports[packageName]?.[local] ?? (local === "metav1" ? META : undefined);
        if (imported === undefined) throw new Error(`unknown import ${local} in ${packageName}`);
        full = `${imported}.${name}`;
      } else full = `${packageName}.${rest}`;
      if (STRING_TYPES.has(full)) return { pointer, prefix, base: "string", named: full, outer };
      if (SCALARS.has(full))
        return { pointer, prefix, base: SCALARS.get(full), named: NAMED_ANY.has(full) ? full : "", outer };
      if (go.types[full]) return { pointer, prefix, base: full, named: "", outer };
      const original = `${go.imports[packageName]?.v1}.${split(full)[1]}`;
      if (go.named[full] === undefined && (go.types[original] || go.named[original])) {
        // A Go alias of the v1 type of the same name.
        [packageName, rest] = split(original);
        continue;
      }
      if (go.named[full] === undefined && openApi.definitions[full])
        return { pointer, prefix, base: full, named: "", outer };
      const alias = go.named[full];
      if (alias === undefined) throw new Error(`unknown type ${full} (${expression} in ${packageName})`);
      if (alias.underlying === "struct{}") return { pointer, prefix, base: full, named: "", outer };
      if (alias.underlying === "string") return { pointer, prefix, base: "string", named: full, outer };
      // A named list, map or struct: the name belongs to the outer type, so it is kept only when nothing wraps it.
      [packageName] = split(full);
      if (prefix === "" && /^(\[\]|map)/.test(alias.underlying)) outer = full;
      rest = alias.underlying;
    }
  }

  function flatten(definition, inlinedAt = [], inlinedIn = []) {
    const [packageName] = split(definition);
    const fields = [];
    for (const field of go.types[definition]?.fields ?? []) {
      if (field.inline && field.json === undefined) {
        const { base } = resolveType(field.type, packageName);
        const numbers = field.protobuf ? [...inlinedAt, field.protobuf.number] : inlinedAt;
        fields.push(...flatten(base, numbers, [...inlinedIn, field.go ?? field.type.replace(/^.*[.*]/, "")]));
      } else if (field.json !== undefined && field.json !== "-") {
        fields.push({ ...field, packageName, inlinedAt, inlinedIn });
      }
    }
    return fields;
  }

  function constant(reference, named) {
    const name = /^ref\((.*)\)$/.exec(reference)?.[1];
    // An object has spaces in Go's marker, and none in a line.
    if (name === undefined) return reference.startsWith("{") ? JSON.stringify(JSON.parse(reference)) : reference;
    const values = go.values[named] ?? [];
    const value = values.find((candidate) => name.toLowerCase().endsWith(candidate.toLowerCase()));
    const short = split(named)[1];
    const guesses = { AzureDataDiskCachingReadWrite: "ReadWrite", AzureSharedBlobDisk: "Shared" };
    if (value === undefined && guesses[name] === undefined) throw new Error(`no value for ${reference} of ${short}`);
    return JSON.stringify(guesses[name] ?? value);
  }

  // Of apimachinery's meta/v1 (group_version.go), which the Go data leaves out.
  for (const [name, jsons] of [
    ["GroupResource", ["group", "resource"]],
    ["GroupVersionKind", ["group", "version", "kind"]],
    ["GroupVersionResource", ["group", "version", "resource"]],
  ]) {
    const fields = jsons.map((json, i) => ({ json, type: "string", protobuf: { number: i + 1 } }));
    go.types[`${META}.${name}`] = { markers: [], fields };
  }

  const wanted = new Set();
  const enums = {};
  function shorten(definition, packageName) {
    const [other, name] = split(definition);
    return other === packageName ? name : `${aliasOf(other)}.${name}`;
  }

  function describe(definition) {
    const [packageName] = split(definition);
    const published = openApi.definitions[definition];
    const required = new Set(published?.required ?? []);
    const words = [];
    const mapType = published?.["x-kubernetes-map-type"];
    if (mapType !== undefined) words.push(`@mapType=${mapType}`);
    const seen = new Set();
    for (const field of flatten(definition)) {
      if (seen.has(field.json)) throw new Error(`field ${field.json} twice in ${definition}`);
      seen.add(field.json);
      const { pointer, prefix, base, named, outer } = resolveType(field.type, field.packageName);
      if (base.startsWith("io.")) want(base);
      const property = published?.properties?.[field.json] ?? {};
      const markers = (name) =>
        (field.markers ?? []).filter((m) => m.startsWith(`${name}=`)).map((m) => m.slice(name.length + 1));
      const marker = (name) => markers(name)[0];
      let flags = "";
      if (field.omitempty) flags += "o";
      if (field.omitzero) flags += "z";
      if (required.has(field.json)) flags += "r";
      const type = `${pointer ? "*" : ""}${prefix}${base.startsWith("io.") ? shorten(base, packageName) : base}`;
      const parts = [field.json, flags || "-", type];
      if (field.protobuf) parts.push(`p=${[...field.inlinedAt, field.protobuf.number].join(".")}`);
      if (named !== "") {
        parts.push(`n=${shorten(named, packageName)}`);
        const isEnum = go.named[named]?.markers.some((m) => m === "enum" || m === "k8s:enum");
        if (isEnum && go.values[named]?.length > 0) enums[named] = go.values[named].toSorted(byText);
      }
      if (field.inlinedIn.length > 0) parts.push(`i=${field.inlinedIn.join(".")}`);
      if (outer !== "") parts.push(`o=${shorten(outer, packageName)}`);
      const fallback = marker("default");
      if (fallback !== undefined) parts.push(`d=${constant(fallback, named)}`);
      const strategy = property["x-kubernetes-patch-strategy"] ?? field.patchStrategy;
      if (strategy) parts.push(`s=${strategy}`);
      const mergeKey = property["x-kubernetes-patch-merge-key"] ?? field.patchMergeKey;
      if (mergeKey) parts.push(`k=${mergeKey}`);
      const listType = property["x-kubernetes-list-type"] ?? (published ? undefined : marker("listType"));
      if (listType) parts.push(`l=${listType}`);
      const keys = property["x-kubernetes-list-map-keys"] ?? (published ? [] : markers("listMapKey"));
      if (keys.length > 0) parts.push(`m=${keys.join(",")}`);
      if (property["x-kubernetes-map-type"]) parts.push(`t=${property["x-kubernetes-map-type"]}`);
      if (parts.some((part) => part.includes(" ") || part.includes(";"))) throw new Error(`separator in ${parts}`);
      words.push(parts.join(" "));
    }
    for (const name of Object.keys(published?.properties ?? {})) {
      if (!seen.has(name) && go.types[definition]) throw new Error(`${definition}.${name} is in OpenAPI only`);
    }
    return words.join(";");
  }

  /** Types that only OpenAPI describes: WatchEvent, version.Info. */
  function describePublished(definition) {
    const { properties = {}, required = [] } = openApi.definitions[definition];
    const words = Object.entries(properties).map(([name, property]) => {
      const flags = required.includes(name) ? "r" : "o";
      return `${name} ${flags} ${property.$ref ? "any" : property.type === "array" ? "[]string" : property.type}`;
    });
    return definition.endsWith(".WatchEvent") ? ["type r string p=1", "object r any p=2"].join(";") : words.join(";");
  }

  let definitions = {};
  function want(definition) {
    if (wanted.has(definition)) return;
    wanted.add(definition);
    const [packageName, name] = split(definition);
    const inGo = go.types[definition] ?? go.named[definition];
    const line = inGo ? describe(definition) : describePublished(definition);
    (definitions[packageName] ??= {})[name] = line;
  }
  for (const definition of [...Object.keys(openApi.definitions), ...EXTRA]) {
    if (SCALARS.has(definition)) continue;
    want(definition);
  }

  const kinds = {};
  const unions = {};
  for (const [definition, published] of Object.entries(openApi.definitions)) {
    const gvks = published["x-kubernetes-group-version-kind"];
    if (gvks) kinds[definition] = gvks.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
    if (published["x-kubernetes-unions"]) unions[definition] = published["x-kubernetes-unions"];
  }

  // Resources. Where 1.20 did not have the resource yet, from the storage of 1.36 (pkg/registry/*/storage).
  const NEWER = {
    "admissionregistration.k8s.io/mutatingadmissionpolicies": { categories: ["api-extensions"] },
    "admissionregistration.k8s.io/mutatingadmissionpolicybindings": { categories: ["api-extensions"] },
    "admissionregistration.k8s.io/validatingadmissionpolicies": { categories: ["api-extensions"] },
    "admissionregistration.k8s.io/validatingadmissionpolicybindings": { categories: ["api-extensions"] },
    "networking.k8s.io/ipaddresses": { shortNames: ["ip"] },
    "storage.k8s.io/volumeattributesclasses": { shortNames: ["vac"] },
  };
  const CONNECT_VERBS = {
    "pods/attach": ["create", "get"],
    "pods/exec": ["create", "get"],
    "pods/portforward": ["create", "get"],
  };
  const PROXY_VERBS = ["create", "delete", "get", "patch", "update"];
  // Life cycles that 1.36 states in code rather than in markers (pkg k8s.io/api/core/v1, lifecycle.go).
  const STATED = {
    "/componentstatuses": { deprecated: "1.19" },
    "/endpoints": { deprecated: "1.33", replacement: "discovery.k8s.io,v1,EndpointSlice" },
  };
  // What the paths are for, where that is not what the OpenAPI's parameters suggest: these lists take a "watch" and refuse it.
  const VERBS = { "/componentstatuses": ["get", "list"] };
  /** What an alpha or beta version has without a marker: three minor versions until it is deprecated, three more until it is gone. */
  const threeLater = (version) => {
    const [major, minor] = (version ?? "").split(".");
    return minor === undefined ? undefined : `${major}.${Number(minor) + 3}`;
  };
  const groupOf = (groupVersion) => (groupVersion.includes("/") ? groupVersion.split("/")[0] : "");
  const older = new Map(discovery.resources.map((r) => [`${groupOf(r.groupVersion)}/${r.name}`, r]));
  function definitionOf({ groupVersion, kind }) {
    const [version, group] = [groupVersion.split("/").at(-1), groupOf(groupVersion)];
    const gvk = `${group}/${version}/${kind}`;
    const found = Object.keys(kinds).find((name) => name.endsWith(`.${version}.${kind}`) && kinds[name].includes(gvk));
    if (found === undefined) throw new Error(`no definition for ${groupVersion} ${kind}`);
    return found;
  }

  /** A marker of a resource's life cycle: "introduced", "deprecated", "removed" or "replacement". */
  function markerOf(resource, name) {
    const markers = go.types[definitionOf(resource)]?.markers;
    return (
      STATED[`${groupOf(resource.groupVersion)}/${resource.plural}`]?.[name] ??
      markers
        ?.find((m) => m.startsWith(`k8s:prerelease-lifecycle-gen:${name}=`))
        ?.split("=")
        .slice(1)
        .join("=")
    );
  }

  /** When each version of a resource was introduced. */
  function introductionsOf({ groupVersion, plural }) {
    const versions = openApi.resources.filter(
      (one) => one.plural === plural && groupOf(one.groupVersion) === groupOf(groupVersion),
    );
    return new Map(versions.map((one) => [one.groupVersion.split("/").at(-1), markerOf(one, "introduced")]));
  }

  const resources = openApi.resources.map((resource) => {
    const { groupVersion, plural, kind } = resource;
    const key = `${groupOf(groupVersion)}/${plural}`;
    const known = older.get(key) ?? {};
    const version = groupVersion.split("/").at(-1);
    const definition = definitionOf(resource);
    const marker = (name) => markerOf(resource, name);
    const introduced = marker("introduced");
    const isStable = /^v\d+$/.test(version);
    const deprecated = marker("deprecated") ?? (isStable ? undefined : threeLater(introduced));
    const removed = marker("removed") ?? (isStable ? undefined : threeLater(deprecated));
    const stored = storedKind(
      { kubernetes, groups },
      { group: groupOf(groupVersion), plural, kind },
      introductionsOf(resource),
    );
    const hash = createHash("sha256").update(stored).digest().subarray(0, 8).toString("base64");
    const verbs = VERBS[key] ?? resource.verbs.toSorted(byText);
    const isStored = verbs.includes("create") && verbs.includes("watch");
    const subresources = {};
    for (const name of Object.keys(resource.subresources).toSorted(byText)) {
      if (name.endsWith("/{path}")) continue;
      const { verbs: listed, kind: reached } = resource.subresources[name];
      const actual = name === "proxy" ? PROXY_VERBS : (CONNECT_VERBS[`${plural}/${name}`] ?? listed);
      subresources[name] = { kind: `${reached.group}/${reached.version}/${reached.kind}`, verbs: actual };
    }
    return {
      groupVersion,
      name: plural,
      singular: kind.toLowerCase(),
      kind,
      definition,
      ...(resource.namespaced ? { namespaced: true } : {}),
      verbs,
      ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
      ...((NEWER[key]?.shortNames ?? known.shortNames)
        ? { shortNames: NEWER[key]?.shortNames ?? known.shortNames }
        : {}),
      ...((NEWER[key]?.categories ?? known.categories)
        ? { categories: NEWER[key]?.categories ?? known.categories }
        : {}),
      ...(isStored ? { storageVersionHash: hash } : {}),
      ...(introduced ? { introduced } : {}),
      ...(deprecated ? { deprecated } : {}),
      ...(removed ? { removed } : {}),
      ...(marker("replacement") ? { replacement: marker("replacement") } : {}),
    };
  });

  for (const { groupVersion } of resources) {
    const version = groupVersion.split("/").at(-1);
    const group = groups.find(({ name }) => name === groupOf(groupVersion));
    if (!group?.versions.includes(version)) throw new Error(`${groupVersion} has no place in the order of groups`);
  }

  const sortKeys = (object) =>
    Object.fromEntries(
      Object.keys(object)
        .toSorted(byText)
        .map((key) => [key, object[key]]),
    );
  const facts = {
    source: `${openApi.source}; ${go.source}; ${discovery.source}, corrected to ${kubernetes}`,
    groups,
    resources,
    kinds: sortKeys(kinds),
    unions: sortKeys(unions),
    enums: sortKeys(enums),
    definitions: sortKeys(
      Object.fromEntries(Object.entries(definitions).map(([name, types]) => [name, sortKeys(types)])),
    ),
  };
  // Kinds of no published version. Their definitions may lean on the published ones, never the other way round.
  const GROUPS = {
    ...Object.fromEntries(
      Object.entries(kinds).map(([definition, [gvk]]) => [split(definition)[0].split(".").at(-2), gvk.split("/")[0]]),
    ),
    admission: "admission.k8s.io",
    apidiscovery: "apidiscovery.k8s.io",
    extensions: "extensions",
    imagepolicy: "imagepolicy.k8s.io",
  };
  const publishedEnums = new Set(Object.keys(enums));
  const published = new Set(wanted);
  definitions = {};
  const unpublishedKinds = {};
  for (const [definition, { fields }] of Object.entries(go.types)) {
    const [packageName, name] = split(definition);
    const isKind = fields.some((field) => field.inline && field.json === undefined && field.type.endsWith("TypeMeta"));
    if (!isKind || published.has(definition) || packageName === "io.k8s.apimachinery.pkg.runtime") continue;
    const [family, version] = packageName.split(".").slice(-2);
    if (GROUPS[family] === undefined) throw new Error(`no group for ${packageName}`);
    want(definition);
    unpublishedKinds[definition] = [`${GROUPS[family]}/${version}/${name}`];
  }
  const unpublished = {
    kinds: sortKeys(unpublishedKinds),
    enums: sortKeys(Object.fromEntries(Object.entries(enums).filter(([name]) => !publishedEnums.has(name)))),
    definitions: sortKeys(
      Object.fromEntries(Object.entries(definitions).map(([name, types]) => [name, sortKeys(types)])),
    ),
  };

  return { published: facts, unpublished };
}
