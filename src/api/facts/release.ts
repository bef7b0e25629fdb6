import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { FactsFile, ResourceEntry, UnpublishedDelta } from "./data.js";
import { Definitions } from "./definitions.js";
import { gitVersionOf, minorOf } from "../../machinery/served-versions.js";
import {
  type ApiTitle,
  type GroupFacts,
  readResource,
  type ResourceFacts,
  RETIRED_RESOURCES,
  type RuntimeConfig,
  type ServedApi,
} from "./resources.js";

/** What a release is made of. */
export interface ReleaseFacts {
  /** "1.36" */
  readonly version: string;
  readonly facts: FactsFile;
  /** What `data/unpublished.json` has otherwise in this version; left out for the newest. */
  readonly unpublished?: UnpublishedDelta;
  /** The versions that it behaves as and keeps to, where they are not the usual ones. `facts` are those of `version` without the resources that came later. */
  readonly emulation?: Pick<Release, "emulated" | "minCompatibility">;
}

/**
 * A minor version of Kubernetes that a server can be. Immutable, with one object per version in a process (except those that
 * emulate another version), so that other code may cache what it computes from it. Types and resources are read from the facts on
 * first use.
 */
export class Release {
  /** "1.36" */
  readonly version: string;
  /** 36 */
  readonly minor: number;
  /** "v1.36.3" */
  readonly gitVersion: string;
  readonly facts: FactsFile;
  readonly unpublished: UnpublishedDelta | undefined;
  /** The version whose life cycles, feature gates and stored versions there are: "1.36". It is {@link version} but in a server that emulates another one. */
  readonly emulated: string;
  /** The oldest version of a server that may have to read what is stored: "1.35". */
  readonly minCompatibility: string;
  /** The types that its OpenAPI has. */
  readonly definitions: Definitions;
  /** What its OpenAPI documents are called. */
  readonly title: ApiTitle;
  #resources: readonly ResourceFacts[] | undefined;

  constructor({ version, facts, unpublished, emulation }: ReleaseFacts) {
    this.version = version;
    this.minor = minorOf(version);
    this.gitVersion = gitVersionOf(version);
    this.facts = facts;
    this.unpublished = unpublished;
    this.emulated = emulation?.emulated ?? version;
    this.minCompatibility = emulation?.minCompatibility ?? `1.${this.minor - 1}`;
    this.definitions = new Definitions(facts);
    this.title = { title: "Kubernetes", version: `v${version}.0` };
  }

  /** Whether it is this version ("1.37") or a later one. For what has no feature gate: a caller names its requirement in a comment. */
  atLeast(version: string): boolean {
    return this.minor >= minorOf(version);
  }

  /** Every resource of every version it knows, served by default or not; sorted by group version and name. */
  resources(): readonly ResourceFacts[] {
    this.#resources ??= this.facts.resources.map((entry) => readResource(entry, minorOf(this.emulated)));
    return this.#resources;
  }

  /** Group versions ("v1", "apps/v1") that a server with this configuration serves, in discovery's order. */
  servedGroupVersions(runtimeConfig: RuntimeConfig = {}): readonly string[] {
    return this.servedGroups(runtimeConfig).flatMap(({ name, versions }) =>
      versions.map((version) => formatGroupVersion({ group: name, version })),
    );
  }

  /** Groups with a served version, in discovery's order, the core group first. */
  servedGroups(runtimeConfig: RuntimeConfig = {}): readonly GroupFacts[] {
    const retired = new Set(servedRetired(runtimeConfig).map(({ groupVersion }) => groupVersion));
    const revived = [...retired].map(parseGroupVersion);
    // A version that came after the emulated one has no resources.
    const known = this.emulated === this.version ? undefined : new Set(this.resources().map((one) => one.groupVersion));
    return this.facts.groups
      .map(({ name, versions }) => ({
        name,
        versions: [
          ...versions.filter(
            (version) =>
              isServed({ group: name, version }, runtimeConfig) &&
              known?.has(formatGroupVersion({ group: name, version })) !== false,
          ),
          ...revived.flatMap(({ group, version }) => (group === name ? [version] : [])),
        ],
      }))
      .filter(({ versions }) => versions.length > 0);
  }

  /** The resources of {@link servedGroupVersions}, in that order and by name within one. */
  servedResources(runtimeConfig: RuntimeConfig = {}): readonly ResourceFacts[] {
    const retired = servedRetired(runtimeConfig).map((entry) => readResource(entry, this.minor));
    const byGroupVersion = groupByVersion([...this.resources(), ...retired]);
    return this.servedGroupVersions(runtimeConfig).flatMap((groupVersion) => byGroupVersion.get(groupVersion) ?? []);
  }

  /** The built-in API, as a server with this configuration serves it. */
  builtInApi(runtimeConfig: RuntimeConfig = {}): ServedApi {
    return {
      release: this,
      epoch: 0,
      groups: this.servedGroups(runtimeConfig),
      resources: this.servedResources(runtimeConfig),
      unavailable: new Set(),
      types: this.definitions,
    };
  }
}

/** Whether the configuration turns on a version that every release has removed. */
export const servesRetired = (runtimeConfig: RuntimeConfig): boolean => servedRetired(runtimeConfig).length > 0;

const servedRetired = (runtimeConfig: RuntimeConfig): readonly ResourceEntry[] =>
  RETIRED_RESOURCES.filter(({ groupVersion }) => runtimeConfig[groupVersion] === true);

/** Whether a server with the configuration serves a group version, if it has it. */
export function isServed(
  { group, version }: { group: string; version: string },
  runtimeConfig: RuntimeConfig,
): boolean {
  const stability = /alpha/.test(version) ? "alpha" : /beta/.test(version) ? "beta" : "ga";
  return (
    runtimeConfig[formatGroupVersion({ group, version })] ??
    runtimeConfig[`api/${stability}`] ??
    runtimeConfig["api/all"] ??
    stability === "ga"
  );
}

function groupByVersion(list: readonly ResourceFacts[]): Map<string, ResourceFacts[]> {
  const groups = new Map<string, ResourceFacts[]>();
  for (const resource of list) {
    const group = groups.get(resource.groupVersion);
    if (group === undefined) groups.set(resource.groupVersion, [resource]);
    else group.push(resource);
  }
  return groups;
}
