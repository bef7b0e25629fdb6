import type { ResourceFacts } from "../../api/facts/index.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import type { ResourceStorage } from "../registry/resource.js";
import type { OwnKind } from "./own-types.js";

/** A resource as the registry has it installed: a built-in one, or one that a {@link ResourceDefinition} describes. */
export interface Installation {
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** The versions that are served, preferred first. */
  readonly versions: readonly ResourceFacts[];
  readonly record: ResourceRecord | undefined;
  /** A storage of the resource's own that was opened to see what it can do. Absent: the record says where objects are kept. */
  readonly storage?: ResourceStorage;
  /** Knows every version of the kind, those that are only stored too. */
  readonly scheme: Scheme;
  /** The kinds that the resource brings: none for a built-in one. */
  readonly kinds: readonly OwnKind[];
}

/** "<group>/<resource>"; "/pods" for the core group. */
export const installationId = ({ group, resource }: Pick<Installation, "group" | "resource">): string =>
  `${group}/${resource}`;

/** A resource that cannot be right, or cannot go: the message names it and says why. Nothing of the same call was done. */
export class InvalidResourceError extends Error {
  override readonly name = "InvalidResourceError";

  constructor(resource: string, reason: string, act: "installed" | "removed" = "installed") {
    super(`resource ${resource} cannot be ${act}: ${reason}`);
  }
}
