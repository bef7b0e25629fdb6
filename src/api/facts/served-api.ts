import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { publishedDefinitions, type TypeSource } from "./definitions.js";
import { type GroupFacts, type ResourceFacts, type RuntimeConfig, servedGroups, servedResources } from "./resources.js";

/** What a server serves at one time: all that discovery and OpenAPI tell of. Immutable; after a change there is another one. */
export interface ServedApi {
  /** Rises with every change. */
  readonly epoch: number;
  /** Groups with a served version, in discovery's order, the core group first. */
  readonly groups: readonly GroupFacts[];
  /** By group version in discovery's order. */
  readonly resources: readonly ResourceFacts[];
  /** Group versions ("metrics.k8s.io/v1beta1") whose resources cannot be reached now. Discovery calls them stale. */
  readonly unavailable: ReadonlySet<string>;
  /** The types of the resources. */
  readonly types: TypeSource;
}

/** The built-in API, as a server with this configuration serves it. */
export function builtInApi(runtimeConfig: RuntimeConfig = {}): ServedApi {
  return {
    epoch: 0,
    groups: servedGroups(runtimeConfig),
    resources: servedResources(runtimeConfig),
    unavailable: new Set(),
    types: publishedDefinitions,
  };
}

/** The group versions of an API ("v1", "apps/v1"), in discovery's order. */
export function groupVersionsOf({ groups }: Pick<ServedApi, "groups">): readonly string[] {
  return groups.flatMap(({ name, versions }) =>
    versions.map((version) => formatGroupVersion({ group: name, version })),
  );
}
