import { componentOf, decoded, nameOfComponent } from "./file-names.js";

/** The key prefix, group and kinds of a resource whose keys do not contain its group, as those of built-in resources do not. */
export interface ResourcePlace {
  /** What its keys begin with: "/registry/deployments/". */
  readonly prefix: string;
  /** "" is the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** The kinds that its objects may have, with their groups: another resource may share the place. */
  readonly kinds: readonly { readonly group: string; readonly kind: string }[];
}

/** The place of an object, which its key or its path tells. */
export interface ObjectPlace {
  readonly key: string;
  /** Below the root, with "/" between the components. */
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  /** "" for one that belongs to the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Undefined where the place does not say which kinds it takes. */
  readonly kinds: ResourcePlace["kinds"] | undefined;
}

export const EXTENSION = ".yaml";
const REGISTRY = "/registry/";
/** The folder of the group that has no name. */
const CORE = "core";

/**
 * Maps the keys of objects to the paths of their files, and back: "/registry/pods/default/a" and "core/pods/default/a.yaml". Either
 * way leads back to where it began, or there is none. A key without a path is that of no object, or has a name that is too long.
 */
export class Layout {
  readonly #byPrefix: ReadonlyMap<string, ResourcePlace>;
  readonly #byFolder: ReadonlyMap<string, ResourcePlace>;

  constructor(places: readonly ResourcePlace[]) {
    this.#byPrefix = new Map(places.map((place) => [place.prefix, place]));
    this.#byFolder = new Map(places.map((place) => [`${place.group} ${place.resource}`, place]));
  }

  placeOfKey(key: string): ObjectPlace | undefined {
    const path = this.#candidate(key);
    const place = path === undefined ? undefined : this.placeOfPath(path);
    return place?.key === key ? place : undefined;
  }

  placeOfPath(path: string): ObjectPlace | undefined {
    const components = path.split("/");
    const name = nameOfComponent(components.at(-1) ?? "", EXTENSION);
    const [folder, resource, namespace = "", ...more] = components.slice(0, -1).map((one) => nameOfComponent(one));
    if (name === undefined || folder === undefined || resource === undefined || more.length > 0) return undefined;
    if (components.length === 4 && namespace === "") return undefined;
    const parts = [folder, resource, namespace, name];
    if (parts.some((part) => part.includes("/"))) return undefined;
    const group = folder === CORE ? "" : folder;
    const known = this.#byFolder.get(`${group} ${resource}`);
    if (known !== undefined && known.namespaced !== (namespace !== "")) return undefined;
    if (known === undefined && group === "") return undefined;
    const prefix = known?.prefix ?? `${REGISTRY}${group}/${resource}/`;
    // Such keys belong to another resource.
    if (known === undefined && this.#placeAbove(prefix) !== undefined) return undefined;
    const key = prefix + (namespace === "" ? name : `${namespace}/${name}`);
    return { key, path, group, resource, namespace, name, kinds: known?.kinds };
  }

  /** The place of the object that somebody may have meant with a path that is no object's: its components are written otherwise. */
  meantBy(path: string): ObjectPlace | undefined {
    if (!path.endsWith(EXTENSION)) return undefined;
    const names = path.slice(0, -EXTENSION.length).split("/").map(decoded);
    if (names.some((name) => name === undefined || name === "" || name.includes("/"))) return undefined;
    const components = names.map((name, index) => componentOf(name ?? "", index === names.length - 1 ? EXTENSION : ""));
    return components.includes(undefined) ? undefined : this.placeOfPath(components.join("/"));
  }

  #candidate(key: string): string | undefined {
    if (!key.startsWith(REGISTRY)) return undefined;
    const known = this.#placeAbove(key);
    const [group, resource, ...rest] =
      known === undefined
        ? key.slice(REGISTRY.length).split("/")
        : [known.group === "" ? CORE : known.group, known.resource, ...key.slice(known.prefix.length).split("/")];
    const name = rest.pop();
    if (group === undefined || resource === undefined || name === undefined) return undefined;
    const components = [...[group, resource, ...rest].map((one) => componentOf(one)), componentOf(name, EXTENSION)];
    return components.includes(undefined) ? undefined : components.join("/");
  }

  /** The resource whose prefix the key has, where a table names it. */
  #placeAbove(key: string): ResourcePlace | undefined {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const known = this.#byPrefix.get(key.slice(0, end + 1));
      if (known !== undefined) return known;
    }
    return undefined;
  }
}
