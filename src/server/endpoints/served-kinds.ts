import { encodedView } from "../../machinery/apply/encoded-view.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { ServedApi } from "../../api/facts/index.js";
import type { ServedKind, ServedKinds } from "../admission/plugin.js";
import { andThen } from "./representation/convert.js";
import type { ServedResource } from "./served-resource.js";

/** What a server serves at one time. */
interface Snapshot {
  readonly served: ServedApi;
  find(groupVersion: string, resource: string): ServedResource | undefined;
}

/** Finds the kinds that a server serves now. */
export function servedKinds(current: () => Snapshot): ServedKinds {
  return { find: (kind) => find(current(), kind) };
}

function find(snapshot: Snapshot, { group, version, kind }: GroupVersionKind): ServedKind | undefined {
  const groupVersion = formatGroupVersion({ group, version });
  const facts = snapshot.served.resources.find((one) => one.kind === kind && one.groupVersion === groupVersion);
  const resource = facts && snapshot.find(groupVersion, facts.name);
  if (facts === undefined || resource === undefined) return undefined;
  const { codec } = resource;
  return {
    kind: { group, version, kind },
    resource: { group, resource: facts.name },
    namespaced: facts.namespaced,
    show: (object) => andThen(codec.fromHub(object), (shown) => encodedView(shown, codec.schema)),
  };
}
