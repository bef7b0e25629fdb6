import type { ApiResource } from "../../machinery/rest-mapper.js";
import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { Factory } from "../connect/factory.js";
import { didYouMean, nearest } from "./suggestions.js";

const UNKNOWN_KIND = /no matches for kind "([^"]+)" in version "([^"]+)"/;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Without schemas, which may be long. */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * For a person whose manifest has a kind that the server does not serve in that version: it has been defined since the manifest was
 * read, it is served in another version, or it is mistyped.
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
