import { servedResources } from "../api/facts/index.js";
import { keyPrefix } from "../server/api-registry/key-prefix.js";
import { builtinRecord } from "../server/builtin/index.js";
import type { ResourcePlace } from "../server/storage/files/layout.js";

/** Of the built-in resources, what their keys do not tell. Two that share their objects have one place, the first one's. */
export function resourcePlaces(): readonly ResourcePlace[] {
  const places = new Map<string, ResourcePlace & { readonly kinds: { group: string; kind: string }[] }>();
  for (const { group, name, kind, namespaced } of servedResources({ "api/all": true })) {
    const prefix = keyPrefix({ group, name }, builtinRecord(group, name)?.storage);
    const known = places.get(prefix);
    if (known === undefined)
      places.set(prefix, { prefix, group, resource: name, namespaced, kinds: [{ group, kind }] });
    else if (!known.kinds.some((one) => one.group === group && one.kind === kind)) known.kinds.push({ group, kind });
  }
  return [...places.values()];
}
