import type { GroupResource } from "../../machinery/errors/status-error.js";
import { OTHER_KEYS } from "../../server/api-registry/built-in-names.js";
import type { KeyTransformers } from "../../server/storage/encryption/encrypted-kv.js";
import type { ResourceTransformers } from "../../server/storage/encryption/open-transformers.js";
import type { Transformer } from "../../server/storage/encryption/transformer.js";
import { resourcePlaces } from "../open-storage.js";

const ROOT = "/registry";

/** A resource and the prefix of its keys. */
export interface KeyPlace {
  readonly prefix: string;
  readonly resource: GroupResource;
}

/** Finds the resources that keys are of. */
class KeyPlaces {
  /** Of built-in resources, by what their keys begin with. */
  readonly builtIn = new Map(
    resourcePlaces().map(({ prefix, group, resource }) => [prefix, { prefix, resource: { group, resource } }]),
  );

  /** Undefined for the key of no resource: what API servers keep for themselves. */
  of(key: string): KeyPlace | undefined {
    const first = key.indexOf("/", ROOT.length + 1);
    if (first < 0) return undefined;
    const short = key.slice(0, first + 1);
    const known = this.builtIn.get(short);
    if (known !== undefined) return known;
    const second = key.indexOf("/", first + 1);
    if (second < 0 || OTHER_KEYS.includes(short)) return undefined;
    const prefix = key.slice(0, second + 1);
    const resource = { group: key.slice(ROOT.length + 1, first), resource: key.slice(first + 1, second) };
    return this.builtIn.get(prefix) ?? { prefix, resource };
  }
}

const places = new KeyPlaces();

export const placeOf = (key: string): KeyPlace | undefined => places.of(key);

/** The key prefixes of the resources that an entry of a configuration names. */
export function prefixesOf({ group, resource }: GroupResource): readonly string[] {
  if (group === "*") return [`${ROOT}/`];
  const builtIn = [...places.builtIn.values()].filter(
    (place) => place.resource.group === group && (resource === "*" || place.resource.resource === resource),
  );
  const found = builtIn.map(({ prefix }) => prefix);
  if (group === "" || (resource !== "*" && found.length > 0)) return found;
  return [...found, resource === "*" ? `${ROOT}/${group}/` : `${ROOT}/${group}/${resource}/`];
}

/** The transformers of keys, which begin with `root` in the storage. */
export function keyTransformers(transformers: ResourceTransformers, root: string): KeyTransformers {
  const known = new Map<string, Transformer | undefined>();
  return {
    of(key) {
      const place = places.of(key);
      if (place === undefined) return undefined;
      if (!known.has(place.prefix)) known.set(place.prefix, transformers.of(place.resource));
      return known.get(place.prefix);
    },
    pathOf: (key) => root + key.slice(ROOT.length),
  };
}
