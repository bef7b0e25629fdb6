import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { StoredObject } from "../storage/store.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { copyObject } from "../registry/copy.js";
import { Warnings } from "../request/api-request.js";
import type { ResourceMap } from "./resource-map.js";
import { servedResources } from "../../api/facts/index.js";

/** The server's own identity, for what it writes without being asked. */
export const LOOPBACK_USER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Creates those of the objects that do not exist; leaves the others as they are. */
export async function createMissing(resources: ResourceMap, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => ensureOne(resources, object, false)));
}

/** As {@link createMissing}, and gives those that exist the fields that are stated here, their metadata excepted. */
export async function createOrAdjust(resources: ResourceMap, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => ensureOne(resources, object, true)));
}

async function ensureOne(resources: ResourceMap, object: KubeObject, adjust: boolean): Promise<void> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  const resource = resources.find(apiVersion, pluralOf(apiVersion, kind));
  const { get, create, update } = resource?.storage ?? {};
  if (resource === undefined || get === undefined || create === undefined || update === undefined) {
    throw new Error(`no resource for ${apiVersion} ${kind}`);
  }
  const { storage } = resource;
  const { name = "", namespace = "" } = metadata;
  const scope = { user: LOOPBACK_USER, namespace, warnings: new Warnings(), dryRun: false };
  const hub = () =>
    resource.codec.toHub(resource.codec.decodePatched(copyObject(object) as JsonValue, "Ignore").object);
  try {
    await get.call(storage, scope, name, {});
    if (!adjust) return;
    const change = async (current: StoredObject | undefined) => adjusted(current?.object() ?? {}, hub());
    await update.call(storage, scope, name, change, { trusted: true, admit: () => Promise.resolve() });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await create.call(storage, scope, hub(), () => Promise.resolve());
  }
}

function adjusted(current: KubeObject, wanted: KubeObject): KubeObject {
  const draft = copyObject(current);
  for (const [field, value] of Object.entries(wanted)) {
    if (field === "metadata") continue;
    const before = draft[field];
    draft[field] = isJsonObject(value) && isJsonObject(before) ? { ...before, ...value } : value;
  }
  return draft;
}

function pluralOf(apiVersion: string, kind: string): string {
  const { group, version } = parseGroupVersion(apiVersion);
  const found = servedResources().find((one) => one.group === group && one.version === version && one.kind === kind);
  return found?.name ?? "";
}
