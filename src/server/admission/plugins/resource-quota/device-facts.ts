import { type DeviceFacts, NO_DEVICES, payingPodName } from "../../../../api/quota/index.js";
import type { Pod } from "../../../../api/types/core/v1.js";
import type { DeviceClass, ResourceClaim } from "../../../../api/types/resource/v1.js";
import type { AdmissionAttributes } from "../../attributes.js";
import type { AdmissionContext } from "../../plugin.js";

const GROUP = "resource.k8s.io";

/** Reads what decides how much the claims of devices among some requests of a namespace take. Without claims it reads nothing. */
export async function deviceFacts(
  requests: readonly AdmissionAttributes[],
  namespace: string,
  { objects: { cached } }: Pick<AdmissionContext, "objects">,
): Promise<DeviceFacts> {
  const claims = requests.filter(({ resource }) => resource.group === GROUP && resource.resource === "resourceclaims");
  if (claims.length === 0) return NO_DEVICES;
  const classes = (await cached.list(GROUP, "deviceclasses")) as unknown as readonly DeviceClass[];
  const asked = claims.flatMap(({ object }) => (object === undefined ? [] : [object as unknown as ResourceClaim]));
  const names = new Set(asked.flatMap((claim) => payingPodName(claim) ?? []));
  if (names.size === 0) return { ...NO_DEVICES, classes };
  const pods = await Promise.all([...names].map((name) => cached.get("", "pods", namespace, name)));
  const others = await cached.list(GROUP, "resourceclaims", namespace);
  return {
    classes,
    pods: pods.filter((pod) => pod !== undefined) as readonly Pod[],
    claims: others as unknown as readonly ResourceClaim[],
  };
}
