import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { isAlreadyExists } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { copyObject } from "../registry/copy.js";
import { Warnings } from "../request/api-request.js";
import type { ResourceMap } from "./resource-map.js";
import { servedResources } from "../../api/facts/index.js";

/** The server's own identity, for what it writes without being asked. */
export const LOOPBACK_USER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Creates those of the objects that do not exist; leaves the others as they are. */
export async function createMissing(resources: ResourceMap, objects: readonly KubeObject[]): Promise<void> {
  await Promise.all(objects.map((object) => createOne(resources, object)));
}

async function createOne(resources: ResourceMap, object: KubeObject): Promise<void> {
  const { apiVersion = "", kind = "" } = object;
  const resource = resources.find(apiVersion, pluralOf(apiVersion, kind));
  if (resource?.storage.create === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  const { object: decoded } = resource.codec.decodePatched(copyObject(object) as never, "Ignore");
  const scope = {
    user: LOOPBACK_USER,
    namespace: object.metadata?.namespace ?? "",
    warnings: new Warnings(),
    dryRun: false,
  };
  try {
    await resource.storage.create(scope, resource.codec.toHub(decoded), () => Promise.resolve());
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function pluralOf(apiVersion: string, kind: string): string {
  const { group, version } = parseGroupVersion(apiVersion);
  const found = servedResources().find((one) => one.group === group && one.version === version && one.kind === kind);
  return found?.name ?? "";
}
