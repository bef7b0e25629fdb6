import type { ResourceFacts, SubresourceFacts } from "../../api/facts/index.js";
import { errorMessage } from "../../base/text/error-message.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { INTERNAL_VERSION, Scheme } from "../../machinery/scheme/scheme.js";
import { fieldNumberProblem } from "../../machinery/wire/protobuf/check-field-numbers.js";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { ResourceRecord, SubresourceRecord } from "../endpoints/resource-record.js";
import { type ObjectSource, sourceFault, verbsOfSource } from "../registry/plain-objects/object-source.js";
import { type Installation, InvalidResourceError, sourceOf } from "./installation.js";
import { definitionName, listSchema, objectSchema, OwnKind } from "./own-types.js";
import type { ResourceDefinition, ResourceVersion, SubresourceDefinition } from "./resource-definition.js";

const SCALE: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };
const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * Compiles a definition over the kinds of `base`. `installed` finds another resource by its id, "<group>/<resource>". Throws an
 * {@link InvalidResourceError}.
 */
export function compileDefinition(
  definition: ResourceDefinition,
  base: Scheme,
  installed: (id: string) => Installation | undefined,
): Installation {
  const fail = (reason: string): never => {
    throw new InvalidResourceError(formatGroupResource(definition), reason);
  };
  checkNames(definition, fail);
  const { group, resource, versions } = definition;
  const shared = sharedOf(definition, installed, fail);
  const storage = shared?.storageVersion ?? storageVersionOf(definition, fail);
  const kinds: OwnKind[] = [];
  // The managers of an object's fields may have written it through the other resource.
  const scheme = new Scheme(base.name, shared?.installation.scheme ?? base);
  const hubVersion = definition.hub === undefined ? storage.version : INTERNAL_VERSION;
  if (definition.hub !== undefined && shared !== undefined) fail("its hub has no effect beside storage.sharedWith");
  if (definition.hub !== undefined) registerHub(definition, definition.hub, scheme);
  for (const version of versions) {
    const { kind, list } = kindsOf(definition, version);
    kinds.push(kind, list);
    if (scheme.isRegistered(kind.gvk))
      fail(`${formatGroupVersion(kind.gvk)} ${kind.gvk.kind} is another resource's kind`);
    checkVersion(definition, version, storage, fail);
    const hub = shared?.hub ?? { ...kind.gvk, version: hubVersion };
    const { conversion, applyDefaults } = version;
    scheme.register(kind.gvk, { schema: () => kind.schema, hub, conversion, applyDefaults });
    const listHub = shared === undefined ? { ...list.gvk, version: hubVersion } : list.gvk;
    scheme.register(list.gvk, { schema: () => list.schema, hub: listHub });
  }
  const served = versions.filter((version) => version.served !== false);
  if (served.length === 0) fail("none of its versions is served");
  const source = openSource(definition, fail);
  const able = verbsAble(definition, shared?.installation ?? { source, record: definition });
  return {
    group,
    resource,
    record: definition,
    ...(source && { source }),
    ...(definition.hub !== undefined && { storedAs: { group, version: storage.version, kind: definition.kind } }),
    scheme,
    kinds,
    versions: served.map((version) => factsOf(definition, version, able, fail)),
  };
}

type Fail = (reason: string) => never;

/** The internal version of a kind and its list. Nothing shows them. */
function registerHub(definition: ResourceDefinition, hub: StructSchema, scheme: Scheme): void {
  const { kind, list } = kindsOf(definition, { version: INTERNAL_VERSION, schema: hub });
  scheme.register(kind.gvk, { schema: () => kind.schema });
  scheme.register(list.gvk, { schema: () => list.schema });
}

function checkVersion({ hub }: ResourceDefinition, given: ResourceVersion, storage: ResourceVersion, fail: Fail): void {
  const { version, schema, conversion } = given;
  const wrongNumber = schema.isUnstructured === true ? undefined : fieldNumberProblem(schema);
  if (wrongNumber !== undefined) fail(`version ${version}: ${wrongNumber}`);
  if (conversion === undefined && hub !== undefined && schema !== hub) {
    fail(`version ${version} has another schema than the hub; give it a conversion`);
  }
  if (conversion === undefined && hub === undefined && given !== storage && schema !== storage.schema) {
    fail(`version ${version} has another schema than the storage version ${storage.version}; give it a conversion`);
  }
  if (given === storage && conversion !== undefined && "convertMany" in conversion) {
    fail(`version ${version} is the storage version, which cannot have convertMany`);
  }
}

function openSource({ storage }: ResourceDefinition, fail: Fail): ObjectSource | undefined {
  if (storage?.objects === undefined) {
    const { poll, cache, pages } = storage ?? {};
    const found = Object.entries({ poll, cache, pages }).find(([, value]) => value !== undefined);
    if (found !== undefined) fail(`its storage.${found[0]} has no effect without storage.objects`);
    return undefined;
  }
  let source: ObjectSource | undefined;
  try {
    source = sourceOf(storage);
  } catch (error) {
    return fail(`unable to create REST storage: ${errorMessage(error)}`);
  }
  const fault = sourceFault(source, storage);
  return fault === undefined ? source : fail(fault);
}

function checkNames({ group, resource, kind, versions, listKind }: ResourceDefinition, fail: Fail): void {
  if (group !== "" && dns1123SubdomainErrors(group).length > 0) fail(`"${group}" is not a valid group name`);
  if (dns1035LabelErrors(resource).length > 0) fail(`"${resource}" is not a valid resource name`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) fail(`"${kind}" is not a valid kind name`);
  if (versions.length === 0) fail("it has no version");
  for (const [index, { version }] of versions.entries()) {
    if (dns1035LabelErrors(version).length > 0) fail(`"${version}" is not a valid version name`);
    if (versions.findIndex((one) => one.version === version) < index) fail(`it has the version ${version} twice`);
  }
  if (listKind === "") fail("its listKind is empty");
  if (listKind === kind) fail("its listKind is its kind");
}

function storageVersionOf({ versions, storageVersion }: ResourceDefinition, fail: Fail): ResourceVersion {
  const found = storageVersion === undefined ? versions[0] : versions.find(({ version }) => version === storageVersion);
  return found ?? fail(`its storageVersion ${storageVersion} is none of its versions`);
}

/** The kind and its list at a version. */
function kindsOf(
  { group, kind: name, listKind }: ResourceDefinition,
  version: ResourceVersion,
): { readonly kind: OwnKind; readonly list: OwnKind } {
  const gvk = { group, version: version.version, kind: name };
  const kind = new OwnKind(gvk, () => objectSchema(gvk, version.schema));
  const listGvk = { ...gvk, kind: listKind ?? `${name}List` };
  return { kind, list: new OwnKind(listGvk, () => listSchema(listGvk, kind.schema)) };
}

/** What the storage and the record's handlers can answer. */
function verbsAble(
  { handlers = {} }: ResourceDefinition,
  { source, record }: { readonly source?: ObjectSource | undefined; readonly record: ResourceRecord | undefined },
): readonly string[] {
  const generic = source === undefined ? ALL_VERBS : verbsOfSource(source, record?.storage ?? {});
  return [...new Set([...generic, ...Object.keys(handlers)])].toSorted();
}

/** The resource whose objects this one serves under another name. */
interface Shared {
  readonly installation: Installation;
  readonly hub: GroupVersionKind;
  readonly storageVersion: Pick<ResourceVersion, "version" | "schema">;
}

function sharedOf(
  { storage, namespaced, storageVersion }: ResourceDefinition,
  installed: (id: string) => Installation | undefined,
  fail: Fail,
): Shared | undefined {
  if (storage?.sharedWith === undefined) return undefined;
  const { sharedWith } = storage;
  const installation = installed(sharedWith);
  const [facts] = installation?.versions ?? [];
  if (installation === undefined || facts === undefined) {
    return fail(`its storage.sharedWith ${sharedWith} is not installed; install that resource first`);
  }
  if (storage.objects !== undefined) fail("its storage.objects has no effect beside storage.sharedWith");
  if (storageVersion !== undefined) fail(`its storageVersion has no effect: ${sharedWith} has the storage version`);
  if (facts.namespaced !== namespaced) fail(`${sharedWith}, which it shares objects with, has another scope`);
  const { hub } = installation.scheme.kind(facts);
  const versions = (installation.record as Partial<ResourceDefinition> | undefined)?.versions ?? [];
  const own = versions.find(({ version }) => version === hub.version);
  const { schema } = own ?? installation.scheme.kind(hub);
  return { installation, hub, storageVersion: { version: `${hub.version} of ${sharedWith}`, schema } };
}

function factsOf(
  definition: ResourceDefinition,
  version: ResourceVersion,
  able: readonly string[],
  fail: Fail,
): ResourceFacts {
  const { group, resource, kind, namespaced } = definition;
  const gvk = { group, version: version.version, kind };
  const isCustom = definition.isCustom === true;
  const subresources = (version.subresources ?? []).map((one) => subresourceOf(definition, one, gvk, fail));
  return {
    ...gvk,
    groupVersion: formatGroupVersion(gvk),
    name: resource,
    singularName: definition.singular ?? kind.toLowerCase(),
    listKind: definition.listKind ?? `${kind}List`,
    namespaced,
    verbs: verbsOf(version, able, fail),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    definition: definitionName(gvk),
    ...(version.deprecationWarning !== undefined && { deprecationWarning: version.deprecationWarning }),
    ...(isCustom && { isCustom }),
    subresources: isCustom ? subresources : subresources.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The verbs that the version states, or all that there are answers for. */
function verbsOf({ version, verbs }: ResourceVersion, able: readonly string[], fail: Fail): readonly string[] {
  const without = verbs?.find((verb) => !able.includes(verb));
  if (without !== undefined)
    fail(`version ${version} has the verb ${without}, which neither its storage nor a handler answers`);
  return verbs ?? able;
}

function subresourceOf(
  definition: ResourceDefinition,
  { name, kind, verbs }: SubresourceDefinition,
  own: GroupVersionKind,
  fail: Fail,
): SubresourceFacts {
  const record = definition.subresources?.[name];
  const able = record === undefined ? verbsOfGenericSubresource(name) : verbsOfSubresource(record);
  if (able.length === 0) fail(`its subresource ${name} has no record, so that no verb of it is answered`);
  const without = verbs?.find((verb) => !able.includes(verb));
  if (without !== undefined) fail(`its subresource ${name} has the verb ${without}, which its record does not answer`);
  return { name, kind: kind ?? (name === "scale" ? SCALE : own), verbs: verbs ?? able };
}

const PART_VERBS = ["get", "patch", "update"];

const verbsOfGenericSubresource = (name: string): readonly string[] =>
  name === "status" || name === "scale" ? PART_VERBS : [];

/** A connection takes any method; which ones, its storage says when it is connected. */
const CONNECT_VERBS = ["create", "delete", "get", "patch", "update"];

function verbsOfSubresource(record: SubresourceRecord): readonly string[] {
  if ("part" in record) return PART_VERBS;
  if ("handlers" in record) return Object.keys(record.handlers).toSorted();
  return CONNECT_VERBS;
}
