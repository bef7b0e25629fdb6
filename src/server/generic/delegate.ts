import type { ServedApi, TypeSource } from "../../api/facts/index.js";
import type { HealthCheck } from "../endpoints/non-resource/health.js";
import type { Handler } from "../request/api-request.js";

/**
 * The next server of a chain, as the server before it sees it. The head of the chain has the connections and runs the filters; what it does not
 * serve itself it hands to its delegate, whose operations, admission and storage are its own.
 */
export interface Delegate {
  /** Names the server in errors. */
  readonly name: string;
  /** What it and the servers behind it serve now. */
  served(): ServedApi;
  /** Handles a request to its end, without filters. */
  readonly direct: Handler;
  /** Whether it, or a server behind it, serves a path that belongs to no API. */
  servesPath(path: string): boolean;
  /** The paths that belong to no API, for the index at "/". */
  listedPaths(): readonly string[];
  /** Checks of its health, and of those behind it. */
  healthChecks(): readonly HealthCheck[];
  /** What its readiness needs beside its health, and that of those behind it. */
  readyChecks(): readonly HealthCheck[];
}

/** Merges two APIs into one: a group version that the first serves hides that of the second. `epoch` counts changes of both. */
export function unitedApi(own: ServedApi, behind: ServedApi, epoch: number): ServedApi {
  const names = new Map(own.groups.map((group) => [group.name, group]));
  const added = behind.groups.filter(({ name }) => !names.has(name));
  const served = new Set(own.resources.map(({ groupVersion }) => groupVersion));
  const groups = own.groups.map((group) => {
    const other = behind.groups.find(({ name }) => name === group.name);
    if (other === undefined) return group;
    return { ...group, versions: [...new Set([...group.versions, ...other.versions])] };
  });
  return {
    release: own.release,
    epoch,
    groups: [...groups, ...added],
    resources: [...own.resources, ...behind.resources.filter(({ groupVersion }) => !served.has(groupVersion))],
    unavailable: new Set([...own.unavailable, ...behind.unavailable]),
    types: unitedTypes(own.types, behind.types),
    title: own.title,
  };
}

function unitedTypes(own: TypeSource, behind: TypeSource): TypeSource {
  return {
    definitionOf: (...words) => own.definitionOf(...words) ?? behind.definitionOf(...words),
    kindsOf(definition) {
      const kinds = own.kindsOf(definition);
      return kinds.length > 0 ? kinds : behind.kindsOf(definition);
    },
    structOf: (...words) => own.structOf(...words) ?? behind.structOf(...words),
    unionsOf: (...words) => own.unionsOf(...words) ?? behind.unionsOf(...words),
  };
}
