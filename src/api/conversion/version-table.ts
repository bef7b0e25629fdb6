import type { KindRegistration } from "../../machinery/scheme/scheme.js";

/**
 * What is special about a kind at a version. A version that no table has is shaped like its hub, has the hub's defaults,
 * and its hub is the preferred version of its own group.
 */
export interface VersionRules extends Pick<KindRegistration, "conversion" | "applyDefaults"> {
  /** "apps/v1/Deployment": for a hub in another group, or that is not the preferred version. */
  readonly hub?: string;
}

/** By "<apiVersion>/<Kind>": "extensions/v1beta1/Deployment", "v1/Event". */
export type VersionTable = Readonly<Record<string, VersionRules>>;
