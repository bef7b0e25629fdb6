import type { ResourceFacts } from "../../api/facts/index.js";
import { formatGroupResource, type GroupResource } from "../../machinery/errors/status-error.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { Removal, ResourceHost } from "./api-registry.js";
import type { BuiltInNames } from "./built-in-names.js";
import { compileDefinition } from "./compile-definition.js";
import { type Installation, installationId, InvalidResourceError } from "./installation.js";
import { InstalledResource, type KeptResource, storagePrefix } from "./installed-resource.js";
import type { ResourceDefinition, InstallerOptions, NamedKind, ResourceInstaller } from "./resource-definition.js";

/** A resource with the owner that may replace and remove it. */
interface Entry {
  readonly owner: InstallerOptions;
  readonly installation: Installation;
  /** What is served of it; undefined where others cover all of its versions. */
  readonly shown: InstalledResource | undefined;
  /** Opens the storage of a resource of which nothing is served. Made when it is first asked for. */
  hidden?: InstalledResource;
}

type Entries = ReadonlyMap<string, Entry>;

const BUILT_IN: InstallerOptions = { owner: "the built-in API" };

/**
 * The resources of a server, each with its owner. Yielding resources are kept behind the others, and are served as far as those in
 * front leave their names free.
 */
export class InstalledResources {
  #front: Entries;
  #behind: Entries = new Map();
  readonly #builtInVersions: ReadonlySet<string>;
  /** Group and kind of each resource in front. */
  #frontKinds: ReadonlySet<string>;

  /** `changed` is called after each change. */
  constructor(
    builtIn: readonly Installation[],
    private readonly names: BuiltInNames,
    private readonly host: ResourceHost,
    private readonly changed: () => void,
  ) {
    this.#front = new Map(builtIn.map((one) => [installationId(one), this.#entry(BUILT_IN, one)]));
    this.#builtInVersions = new Set(builtIn.flatMap(({ versions }) => versions.map(formatGroupVersion)));
    this.#frontKinds = kindsOf(this.#front);
  }

  /** What is served under a name, built-in resources first. */
  find(id: string): InstalledResource | undefined {
    return this.#front.get(id)?.shown ?? this.#behind.get(id)?.shown;
  }

  /** All that is served. */
  shown(): readonly InstalledResource[] {
    return [...this.#front.values(), ...this.#behind.values()].flatMap(({ shown }) => shown ?? []);
  }

  /** The groups of those that do not yield. */
  routedGroups(): ReadonlySet<string> {
    return new Set([...this.#front.values()].flatMap(({ shown, installation }) => (shown ? installation.group : [])));
  }

  /** Ends what the storages of resources do by themselves. */
  close(): void {
    for (const { shown, hidden } of [...this.#front.values(), ...this.#behind.values()]) {
      shown?.close();
      hidden?.close();
    }
  }

  installer(owner: InstallerOptions): ResourceInstaller {
    return {
      install: (...definitions) => this.#install(owner, definitions),
      replace: (definitions, gone, failed) => this.#replace(owner, definitions, gone, failed),
      listVerbs: (resources, verbs) => this.#listVerbs(owner, resources, verbs),
      remove: (removal) => this.#remove(owner, removal),
      kept: (resource) => this.#kept(owner, resource),
      mayServe: (resource, version) => this.#mayServe(owner, resource, version),
      mayRegister: (wanted) =>
        ![...this.#front.values()].some(({ installation }) =>
          installation.versions.some(({ group, version }) => group === wanted.group && version === wanted.version),
        ),
    };
  }

  #install(owner: InstallerOptions, definitions: readonly ResourceDefinition[]): void {
    if (definitions.length === 0) return;
    const next = new Map(this.#layer(owner));
    for (const definition of definitions) {
      const installation = this.#compile(owner, definition, next);
      next.set(installationId(installation), this.#entry(owner, installation));
    }
    this.#publish(owner, next);
  }

  #replace(
    owner: InstallerOptions,
    definitions: readonly ResourceDefinition[],
    gone: readonly GroupResource[],
    failed: (definition: ResourceDefinition, error: unknown) => void,
  ): void {
    const next = new Map(this.#layer(owner));
    for (const one of [...gone, ...definitions]) {
      const id = installationId(one);
      const entry = next.get(id);
      if (entry?.owner !== owner) continue;
      end(entry);
      next.delete(id);
    }
    for (const definition of definitions) {
      // Nothing in this server can make it served, and it has no objects.
      if (this.#isShadow(owner, definition)) continue;
      try {
        const installation = this.#compile(owner, definition, next);
        next.set(installationId(installation), this.#entry(owner, installation));
      } catch (error) {
        failed(definition, error);
      }
    }
    this.#publish(owner, next);
  }

  #listVerbs(owner: InstallerOptions, resources: readonly GroupResource[], discoveryVerbs: readonly string[]): void {
    const next = new Map(this.#layer(owner));
    for (const id of resources.map(installationId)) {
      const entry = next.get(id);
      if (entry?.owner !== owner) continue;
      const listed = (facts: ResourceFacts): ResourceFacts => ({ ...facts, discoveryVerbs });
      next.set(id, {
        ...entry,
        installation: { ...entry.installation, versions: entry.installation.versions.map(listed) },
        shown: entry.shown?.reduced(entry.shown.installation.versions.map(listed)),
      });
    }
    this.#publish(owner, next);
  }

  #remove(owner: InstallerOptions, removal: Removal): boolean {
    const next = new Map(this.#layer(owner));
    let found = false;
    for (const [id, entry] of next) {
      const { versions } = entry.installation;
      const rest = versions.filter((one) => !isRemoved(one, removal));
      if (entry.owner !== owner || rest.length === versions.length) continue;
      found = true;
      const shown = entry.shown?.reduced(this.#uncovered(owner, entry.installation, rest));
      if (rest.length === 0) next.delete(id);
      else next.set(id, { owner, installation: { ...entry.installation, versions: rest }, shown });
    }
    if (found) this.#publish(owner, next);
    else this.#refuseOthers(removal);
    return found;
  }

  /** Throws for a removal that names resources of other owners alone. */
  #refuseOthers(removal: Removal): void {
    for (const { owner, installation } of [...this.#front.values(), ...this.#behind.values()]) {
      if (!installation.versions.some((one) => isRemoved(one, removal))) continue;
      throw new InvalidResourceError(formatGroupResource(installation), `${owner.owner} has installed it`, "removed");
    }
  }

  #kept(owner: InstallerOptions, resource: GroupResource): KeptResource | undefined {
    const entry = this.#layer(owner).get(installationId(resource));
    if (entry?.owner !== owner) return undefined;
    if (entry.shown !== undefined) return entry.shown.kept;
    const { installation } = entry;
    if (this.#isCovered(owner, installation) || this.names.holdsKeys(storagePrefix(installation))) return undefined;
    entry.hidden ??= new InstalledResource(installation, this.host);
    return entry.hidden.kept;
  }

  #mayServe(owner: InstallerOptions, resource: NamedKind, version: string): boolean {
    const entry = this.#layer(owner).get(installationId(resource));
    if (entry?.owner === owner)
      return entry.shown?.installation.versions.some((one) => one.version === version) === true;
    if (this.#isShadow(owner, resource) || this.#isCovered(owner, resource)) return false;
    return this.#isFree(owner, { group: resource.group, version });
  }

  /** Throws when the definition cannot be right, or when another resource of the layer has its name, its kind or its keys. */
  #compile(owner: InstallerOptions, definition: ResourceDefinition, layer: Entries): Installation {
    const fail = (reason: string): never => {
      throw new InvalidResourceError(formatGroupResource(definition), reason);
    };
    const { group, kind } = definition;
    const known = layer.get(installationId(definition));
    if (known !== undefined) fail(known.owner === owner ? INSTALLED : `${INSTALLED}, by ${known.owner.owner}`);
    if (owner.yields !== true && this.names.has(definition)) fail("it has the name of a built-in resource");
    const installation = compileDefinition(definition, this.host.config.scheme, (id) => layer.get(id)?.installation);
    if (
      owner.yields !== true &&
      installation.source === undefined &&
      this.names.holdsKeys(storagePrefix(installation))
    ) {
      fail(`the keys of its objects, ${storagePrefix(installation)}, are among those of built-in resources`);
    }
    for (const { installation: other } of layer.values()) {
      const isSameKind = other.group === group && other.versions.some((one) => one.kind === kind);
      if (isSameKind) fail(`kind ${kind} is that of ${other.resource}`);
    }
    return installation;
  }

  #entry(owner: InstallerOptions, installation: Installation): Entry {
    const { versions } = installation;
    const served = this.#uncovered(owner, installation, versions);
    const shown =
      served.length === 0 && versions.length > 0
        ? undefined
        : new InstalledResource({ ...installation, versions: served }, this.host);
    return { owner, installation, shown };
  }

  /** Those of the versions that nothing in front covers. */
  #uncovered(
    owner: InstallerOptions,
    installation: Installation,
    versions: readonly ResourceFacts[],
  ): readonly ResourceFacts[] {
    if (owner.yields !== true) return versions;
    if (this.#isCovered(owner, installation) || this.names.holdsKeys(storagePrefix(installation))) return [];
    const isFree = (one: ResourceFacts): boolean =>
      this.#isFree(owner, one) && !this.#frontKinds.has(`${one.group}/${one.kind}`);
    return versions.filter(isFree);
  }

  /** Whether a resource that yields has the name or the kind of a built-in one, at whatever version. */
  #isShadow({ yields }: InstallerOptions, { group, resource, kind }: NamedKind): boolean {
    return yields === true && (this.names.has({ group, resource }) || this.names.hasKind(group, kind));
  }

  /** Whether the name is that of a resource in front, at whatever version. */
  #isCovered({ yields }: InstallerOptions, resource: GroupResource): boolean {
    return yields === true && this.#front.has(installationId(resource));
  }

  #isFree({ yields }: InstallerOptions, version: { readonly group: string; readonly version: string }): boolean {
    return yields !== true || !this.#builtInVersions.has(formatGroupVersion(version));
  }

  #layer({ yields }: InstallerOptions): Entries {
    return yields === true ? this.#behind : this.#front;
  }

  #publish(owner: InstallerOptions, entries: Entries): void {
    if (owner.yields === true) this.#behind = entries;
    else {
      this.#front = entries;
      this.#frontKinds = kindsOf(entries);
      this.#behind = new Map([...this.#behind].map(([id, entry]) => [id, this.#coveredAnew(entry)]));
    }
    this.changed();
  }

  /** A resource behind, after a change in front. Watches end of what is now covered. */
  #coveredAnew(entry: Entry): Entry {
    const { owner, installation, shown } = entry;
    const served = this.#uncovered(owner, installation, installation.versions);
    const before = shown?.installation.versions ?? [];
    if (served.length === before.length) return entry;
    if (served.length < before.length) {
      const rest = shown?.reduced(before.filter(({ version }) => served.some((one) => one.version === version)));
      return { owner, installation, shown: served.length === 0 ? undefined : rest };
    }
    end(entry);
    return this.#entry(owner, installation);
  }
}

const INSTALLED = "it is installed already";

const kindsOf = (entries: Entries): ReadonlySet<string> =>
  new Set(
    [...entries.values()].flatMap(({ installation: { group, versions } }) =>
      versions.map(({ kind }) => `${group}/${kind}`),
    ),
  );

/** Ends the watches of a resource and lets go of its storage. */
function end({ shown, hidden }: Entry): void {
  shown?.reduced([]);
  hidden?.reduced([]);
}

function isRemoved({ group, version, name }: ResourceFacts, removal: Removal): boolean {
  if (group !== removal.group) return false;
  if ("version" in removal) return version === removal.version;
  return !("resource" in removal) || name === removal.resource;
}
