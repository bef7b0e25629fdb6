import type { ApiResource } from "../../machinery/rest-mapper.js";

/** A group in the server's group list. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/**
 * The groups and resources that the server serves. The cached implementation keeps them on disk for 6 h, in kubectl's layout
 * (<cacheDir>/discovery/<host>_<port>/).
 */
export interface Discovery {
  /** The groups in the server's order. The core group is "". */
  groups(): Promise<readonly ApiGroup[]>;
  /** The resources of all versions, without subresources, and the group-versions that could not be read. */
  resources(): Promise<{ readonly resources: readonly ApiResource[]; readonly failed: ReadonlyMap<string, Error> }>;
  /** The resources of one group-version, including subresources ("deployments/scale"). */
  resourcesOf(groupVersion: string): Promise<readonly ApiResource[]>;
  serverVersion(): Promise<ServerVersion>;
  /** False when answers came from the disk cache. A miss may then justify one {@link invalidate}. */
  fresh(): boolean;
  invalidate(): void;
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
  readonly [field: string]: string;
}
