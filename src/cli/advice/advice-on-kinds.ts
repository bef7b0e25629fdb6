import type { ApiResource } from "../../machinery/rest-mapper.js";
import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { Factory } from "../connect/factory.js";
import { didYouMean, nearest } from "./suggestions.js";

const UNKNOWN_KIND = /no matches for kind "([^"]+)" in version "([^"]+)"/;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Without schemas, which may be long. */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * Advises a user whose manifest has a kind that the server does not serve in that version: it has been defined since, is served in
 * another version, or is mistyped.
 */
export async function adviceOnKinds(messages: readonly string[], factory: Factory): Promise<string | undefined> {
  for (const message of messages) {
    const [, kind, apiVersion] = UNKNOWN_KIND.exec(message) ?? [];
    if (kind === undefined || apiVersion === undefined) continue;
    const { group } = parseGroupVersion(apiVersion);
    const found = await (await factory.discovery()).resources();
    const resources = found.resources.filter(({ name }) => !name.includes("/"));
    const ofGroup = resources.filter((one) => one.group === group);
    const ofVersion = ofGroup.filter((one) => formatGroupVersion(one) === apiVersion);
    const meant = servedElsewhere(kind, ofGroup) ?? didYouMean([nearest(kind, kindsOf(ofVersion))]);
    if (meant !== undefined) return meant;
    if (await isDefined(group, factory)) {
      return `Kinds of ${group} are defined by now. If ${kind} is among them, run the command again, or "apply --ordered", which applies definitions first and waits for them.`;
    }
    return servedElsewhere(kind, resources) ?? nearKind(kind, resources);
  }
  return undefined;
}

const kindsOf = (resources: readonly ApiResource[]): readonly string[] => resources.map(({ kind }) => kind);

/** The group of a definition has a dot. */
async function isDefined(group: string, factory: Factory): Promise<boolean> {
  if (!group.includes(".")) return false;
  const client = await factory.restClient();
  const { body } = await client.request({ method: "GET", path: DEFINITIONS, accept: METADATA });
  const { items = [] } = JSON.parse(new TextDecoder().decode(body)) as {
    items?: readonly { metadata: { name: string } }[];
  };
  return items.some(({ metadata: { name } }) => name.endsWith(`.${group}`));
}

/** A group lists the version that it prefers first. */
function servedElsewhere(kind: string, resources: readonly ApiResource[]): string | undefined {
  const versions = [...new Set(resources.filter((one) => one.kind === kind).map(formatGroupVersion))];
  const [first] = versions;
  return first === undefined ? undefined : `${kind} is served in ${versions.join(", ")}; write "apiVersion: ${first}".`;
}

function nearKind(kind: string, resources: readonly ApiResource[]): string | undefined {
  const near = nearest(kind, kindsOf(resources));
  const question = didYouMean([near]);
  const served = resources.find((one) => one.kind === near);
  return question && served && `${question} It is served in ${formatGroupVersion(served)}.`;
}

const UNKNOWN_FIELD = /unknown field "([^"]+)"/g;
const WHICH_KIND = /(?<!\S)(\S+) in version "([^"]+)" cannot be handled as an? /;
/** What the server says of an unknown field in a server-side apply, which it words otherwise than in a create. */
const UNDECLARED_FIELD = /(?:^|\s)\.(\S+): field not declared in schema/g;
const WHICH_APPLIED_KIND = /\([^();]*; ([^(),]*), Kind=([^(),]+)\): /;

/**
 * Finds field names near to the ones that a server does not know in an object, by the schema that it publishes. Empty when the message is
 * about something else, when the kind is unclear, or when no name is near.
 */
export async function nearFields(message: string, factory: Factory): Promise<readonly string[]> {
  const { kind, version, paths } = unknownFields(message);
  if (kind === undefined || version === undefined) return [];
  const found: string[] = [];
  for (const path of paths.map(fieldPath)) {
    const name = path.at(-1) ?? "";
    const near = nearest(name, await siblings(kind, version, path.slice(0, -1), factory));
    if (near !== undefined && !found.includes(near)) found.push(near);
  }
  return found;
}

interface UnknownFields {
  readonly kind: string | undefined;
  readonly version: string | undefined;
  readonly paths: readonly string[];
}

function unknownFields(message: string): UnknownFields {
  const [, kind, version] = WHICH_KIND.exec(message) ?? [];
  if (kind !== undefined) return { kind, version, paths: pathsIn(message, UNKNOWN_FIELD) };
  const [, groupVersion, applied] = WHICH_APPLIED_KIND.exec(message) ?? [];
  return { kind: applied, version: groupVersion, paths: pathsIn(message, UNDECLARED_FIELD) };
}

const pathsIn = (message: string, pattern: RegExp): readonly string[] =>
  [...message.matchAll(pattern)].map(([, path = ""]) => path);

/** `spec.template.spec.containers[0].imge` without the places in lists. */
const fieldPath = (path: string): readonly string[] => path.replace(/\[[^[\]]*\]/g, "").split(".");

/**
 * Returns the fields next to the unknown one. The message names the kind's version without its group, so that every group with such a kind
 * is asked.
 */
async function siblings(
  kind: string,
  versionOrGroupVersion: string,
  path: readonly string[],
  factory: Factory,
): Promise<readonly string[]> {
  const version = versionOrGroupVersion.split("/").at(-1) ?? "";
  const { resources } = await (await factory.discovery()).resources();
  const groups = new Set(
    resources.filter((one) => one.kind === kind && one.version === version).map((one) => one.group),
  );
  const openapi = await factory.openapi();
  const names: string[] = [];
  for (const group of groups) names.push(...((await openapi.fieldNames({ group, version, kind }, path)) ?? []));
  return names;
}
