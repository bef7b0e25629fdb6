import { append } from "../../base/collections/append.js";
import { inParallel } from "../../base/async/in-parallel.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject, OwnerReference } from "../../machinery/meta/object.js";
import { type ApiResource, isNoMatchError, type RestMapper, type RestMapping } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import { type Summary, SUMMARY_ACCEPT, summaries, titleOf, uidOf } from "./summary.js";

export interface RelativesOptions {
  readonly client: RestClient;
  readonly mapper: RestMapper;
  /** Ends requests that are under way. */
  readonly signal?: AbortSignal | undefined;
  /** What the server has, each type once. */
  readonly resources: readonly ApiResource[];
}

export interface Relatives {
  /** Everything that was read, by uid, and what is named as an owner and is not there. */
  readonly objects: ReadonlyMap<string, Summary>;
  /** Types that could not be listed, and why. */
  readonly unread: readonly { readonly type: string; readonly reason: string }[];
}

const LISTS_AT_A_TIME = 8;
const PAGE = 500;

/**
 * Reads what may belong to `start`, or `start` to it: all that can be listed in its namespace, or everywhere for an object that has
 * none, and its owners up to the last. A type that may not be listed does not end it; a server that cannot be reached does.
 */
export async function readRelatives(
  start: Summary,
  mapping: RestMapping,
  options: RelativesOptions,
): Promise<Relatives> {
  const { client, resources } = options;
  const objects = new Map<string, Summary>();
  const unread: { readonly type: string; readonly reason: string }[] = [];
  const wanted = resources.filter((resource) => mayBelong(resource, mapping.namespaced));
  const { namespace = "" } = start.metadata;
  const { onWarning } = client;
  // That a type is deprecated is no news to a user who did not name it.
  client.onWarning = undefined;
  const lists = await inParallel(wanted, LISTS_AT_A_TIME, async (resource) => {
    try {
      return await list(resource, namespace, options);
    } catch (error) {
      if (isTransportError(error) || !(error instanceof Error)) throw error;
      const { group, name } = resource;
      unread.push({ type: group === "" ? name : `${name}.${group}`, reason: reasonOf(error) });
      return [];
    }
  }).finally(() => {
    client.onWarning = onWarning;
  });
  for (const found of lists.flat()) if (!objects.has(uidOf(found))) objects.set(uidOf(found), found);
  objects.set(uidOf(start), start);
  await addOwners(start, objects, options);
  return { objects, unread: unread.toSorted((a, b) => (a.type < b.type ? -1 : 1)) };
}

/** Events are many, and belong to nothing. An owner is in the namespace of what it owns, or in none. */
function mayBelong({ name, namespaced, verbs }: ApiResource, inNamespace: boolean): boolean {
  return verbs.includes("list") && verbs.includes("get") && name !== "events" && (!inNamespace || namespaced);
}

async function list(
  resource: ApiResource,
  namespace: string,
  { client, signal }: RelativesOptions,
): Promise<readonly Summary[]> {
  const { group, version, name, kind, namespaced } = resource;
  const mapping = { resource: { group, version, resource: name }, kind: { group, version, kind }, namespaced };
  const helper = new Helper(client, mapping, { accept: SUMMARY_ACCEPT, signal });
  const found: Summary[] = [];
  let next: string | undefined;
  do {
    const page = await helper.list(namespaced ? namespace : "", { limit: PAGE, continue: next });
    append(found, summaries(page, mapping));
    next = (page.metadata as { readonly continue?: string } | undefined)?.continue;
  } while (next !== undefined && next !== "");
  return found;
}

async function addOwners(start: Summary, objects: Map<string, Summary>, options: RelativesOptions): Promise<void> {
  const asked = new Set<string>();
  const waiting: Summary[] = [start];
  for (let owned = waiting.shift(); owned !== undefined; owned = waiting.shift()) {
    for (const reference of owned.metadata.ownerReferences ?? []) {
      if (asked.has(reference.uid)) continue;
      asked.add(reference.uid);
      const owner = objects.get(reference.uid) ?? (await readOwner(reference, owned.metadata.namespace ?? "", options));
      objects.set(reference.uid, owner);
      waiting.push(owner);
    }
  }
}

/** An owner that cannot be read is shown with what is known of it. */
async function readOwner(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  { client, mapper, signal }: RelativesOptions,
): Promise<Summary> {
  const { group, version } = parseGroupVersion(apiVersion);
  const unknown = (status: string): Summary => {
    return { title: titleOf({ group, version, kind }, name), metadata: { name, uid }, ready: "", status, age: "" };
  };
  try {
    const mapping = await mapper.mappingFor({ group, kind }, version);
    const helper = new Helper(client, mapping, { accept: SUMMARY_ACCEPT, signal });
    const answer: KubeObject = await helper.get(mapping.namespaced ? namespace : "", name);
    const [found] = summaries(answer, mapping);
    // Another of the same name is not the owner.
    return found !== undefined && uidOf(found) === uid ? found : unknown("NotFound");
  } catch (error) {
    if (isTransportError(error) || !(error instanceof Error)) throw error;
    return unknown(isNoMatchError(error) ? "NoSuchType" : reasonOf(error));
  }
}

const reasonOf = (error: Error): string => (isStatusError(error) && error.reason !== "" ? error.reason : error.message);
