import type { Step } from "../../machinery/text/jsonpath/nodes.js";
import { parseTemplate } from "../../machinery/text/jsonpath/parser.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";

/** The resource and the fields that an argument such as "pods.spec.containers" names. */
export interface ResourceRequest {
  readonly resource: GroupVersionResource;
  readonly fields: readonly string[];
}

/**
 * Splits an argument into a resource and fields where --api-version is not given: a type may be followed by its group
 * ("deployments.apps.spec"), if it is written as the server lists it. Otherwise the first type of that name is meant, and the rest
 * are fields. Throws what the mapper throws, and an error for anything but a path of fields.
 */
export async function readRequest(text: string, mapper: RestMapper): Promise<ResourceRequest> {
  const [type, ...rest] = parsePath(text);
  const found = await mapper.resourcesFor({ group: "", version: "", resource: firstName(type) });
  const named = found.find((resource) => text.startsWith(nameOf(resource)));
  const [first] = found;
  if (named === undefined && first !== undefined) return { resource: first, fields: rest.map(firstName) };
  if (named === undefined) throw new Error(`no resource is called ${text}`);
  const suffix = text.slice(nameOf(named).length);
  // Whatever it begins with is only the dot behind the type.
  return { resource: named, fields: suffix === "" ? [] : parsePath(suffix).slice(1).map(firstName) };
}

/** Splits an argument into type and fields where --api-version gives the version; the type has no group then. */
export async function readVersionedRequest(text: string, mapper: RestMapper): Promise<ResourceRequest> {
  const [type, ...rest] = parsePath(text);
  const resource = await mapper.preferredResourceFor({ group: "", version: "", resource: firstName(type) });
  return { resource, fields: rest.map((step) => fieldName(step, "all nodes must be field nodes")) };
}

/** "deployments.apps" */
const nameOf = ({ group, resource }: GroupVersionResource): string =>
  group === "" ? resource : `${resource}.${group}`;

const firstName = (step: Step | undefined): string => fieldName(step, "first node must be field node");

function fieldName(step: Step | undefined, rule: string): string {
  if (step?.kind !== "field") throw new Error(`invalid jsonpath syntax, ${rule}`);
  return step.name;
}

/** The steps of a JSONPath written without braces and first dot; a dot at the end does no harm. */
function parsePath(text: string): readonly Step[] {
  const parts = parseTemplate(`{.${text.replace(/\.$/, "")}}`);
  const [part] = parts;
  if (parts.length !== 1 || part?.kind !== "action") throw new Error("must pass in 1 jsonpath string");
  return part.steps;
}
