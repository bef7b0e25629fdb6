import { parseGroupVersion } from "../machinery/meta/gvk.js";
import type { Factory } from "./factory.js";

const UNKNOWN_KIND = /no matches for kind "([^"]+)" in version "([^"]+)"\nensure CRDs are installed first/;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Without schemas, which may be long. */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/**
 * For a person who applied a definition and objects of its kind in one go: when the objects were read, the kind was not served
 * yet. Undefined where the server has no definition of the kind's group.
 */
export async function adviceOnKinds(messages: readonly string[], factory: Factory): Promise<string | undefined> {
  for (const message of messages) {
    const [, kind, apiVersion] = UNKNOWN_KIND.exec(message) ?? [];
    if (kind === undefined || apiVersion === undefined) continue;
    const { group } = parseGroupVersion(apiVersion);
    if (!(await isDefined(group, factory))) return undefined;
    return `Kinds of ${group} are defined by now. If ${kind} is among them, run the command again, or "apply --ordered", which applies definitions first and waits for them.`;
  }
  return undefined;
}

async function isDefined(group: string, factory: Factory): Promise<boolean> {
  const client = await factory.restClient();
  const { body } = await client.request({ method: "GET", path: DEFINITIONS, accept: METADATA });
  const { items = [] } = JSON.parse(new TextDecoder().decode(body)) as {
    items?: readonly { metadata: { name: string } }[];
  };
  return items.some(({ metadata: { name } }) => name.endsWith(`.${group}`));
}
