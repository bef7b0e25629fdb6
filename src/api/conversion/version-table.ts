import type { KindRegistration } from "../../machinery/scheme/scheme.js";

/**
 * The conversion, defaults and hub of a kind at one version. A version that no table lists has the shape and the defaults of its
 * hub, which is the preferred version of its group.
 */
export interface VersionRules extends Pick<KindRegistration, "conversion" | "applyDefaults"> {
  /** "apps/v1/Deployment": for a hub in another group, or that is not the preferred version. */
  readonly hub?: string;
}

/** By "<apiVersion>/<Kind>": "extensions/v1beta1/Deployment", "v1/Event". */
export type VersionTable = Readonly<Record<string, VersionRules>>;
