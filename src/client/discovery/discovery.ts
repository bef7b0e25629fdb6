import type { ApiResource } from "../../machinery/rest-mapper.js";

/** One group as the server lists it. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** What the server serves. The cached one keeps answers on disk in kubectl's layout (<cacheDir>/discovery/<host>_<port>/) for 6 h. */
export interface Discovery {
  /** In the server's order; the core group is "". */
  groups(): Promise<readonly ApiGroup[]>;
  /** All resources of all versions, subresources left out, with the group-versions that could not be read. */
  resources(): Promise<{ readonly resources: readonly ApiResource[]; readonly failed: ReadonlyMap<string, Error> }>;
  /** Including subresources ("deployments/scale"). */
  resourcesOf(groupVersion: string): Promise<readonly ApiResource[]>;
  serverVersion(): Promise<ServerVersion>;
  /** False when what it holds came from the disk: a miss is then worth one {@link invalidate}. */
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
