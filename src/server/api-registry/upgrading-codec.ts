import { decodeObject } from "../../machinery/wire/strict-decode.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Scheme, VersionedKind } from "../../machinery/scheme/scheme.js";
import { convertAll } from "../endpoints/representation/convert.js";
import { storageFormatOf } from "../endpoints/serializers/index.js";
import type { ObjectCodec } from "../storage/store.js";
import type { StorageCodecConfig } from "./storage-codec.js";

/**
 * A codec over `codec` for a kind whose definition changes while the server runs: stored objects may be in any of its versions,
 * and of an earlier schema. A read prunes them and sets defaults by the version that they are stored in, then converts them
 * to the storage version, as kube-apiserver reads custom resources.
 */
export function upgradingCodec(
  { scheme, clock }: Pick<StorageCodecConfig, "scheme" | "clock">,
  hub: VersionedKind,
  codec: ObjectCodec,
): ObjectCodec {
  const apiVersion = formatGroupVersion(hub.gvk);
  const schemaOf = (): typeof hub.schema => hub.schema;
  const parsed = (bytes: Uint8Array): KubeObject => storageFormatOf(bytes).decode(bytes, schemaOf);
  const isOfHub = startsWith(`{"apiVersion":${JSON.stringify(apiVersion)},`);
  /** Pruned and with the defaults of the version that it is stored in. */
  const completed = (stored: KubeObject, version: VersionedKind): KubeObject => {
    const { object } = decodeObject<KubeObject>(stored, version.schema, IGNORE);
    version.applyDefaults(object, clock.now());
    return object;
  };
  const changed = (bytes: Uint8Array, upgraded: KubeObject): Uint8Array => {
    const encoded = codec.encode(upgraded);
    return Buffer.compare(encoded, bytes) === 0 ? bytes : encoded;
  };
  return {
    ...codec,
    upgradesAlways: true,
    decode(bytes) {
      const object = parsed(bytes);
      return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
    },
    upgrade(bytes) {
      const stored = parsed(bytes);
      const version = scheme.kindOf(stored);
      const upgraded = version.toHub(completed(stored, version));
      return changed(
        bytes,
        version.converts ? decodeObject<KubeObject>(upgraded, hub.schema, IGNORE).object : upgraded,
      );
    },
    ...(convertsLater(scheme, hub) && {
      later: {
        needs: (bytes) => !isOfHub(bytes) && scheme.kindOf(parsed(bytes)).convertsLater,
        async upgradeMany(stored) {
          const upgraded = [...stored];
          for (const [version, places] of placesByVersion(stored.map(parsed), scheme)) {
            const objects = places.map(({ object }) => completed(object, version));
            const converted = await convertAll(version, objects, "toHub");
            for (const [position, { index }] of places.entries()) {
              upgraded[index] = changed(stored[index] as Uint8Array, converted[position] as KubeObject);
            }
          }
          return upgraded;
        },
      },
    }),
  };
}

const IGNORE = { mode: "Ignore" } as const;

interface Place {
  readonly object: KubeObject;
  readonly index: number;
}

function placesByVersion(objects: readonly KubeObject[], scheme: Scheme): Map<VersionedKind, Place[]> {
  const places = new Map<VersionedKind, Place[]>();
  for (const [index, object] of objects.entries()) {
    const version = scheme.kindOf(object);
    const known = places.get(version);
    if (known === undefined) places.set(version, [{ object, index }]);
    else known.push({ object, index });
  }
  return places;
}

const convertsLater = (scheme: Scheme, { gvk }: VersionedKind): boolean =>
  scheme.versionsOf(gvk).some((version) => scheme.kind({ ...gvk, version }).convertsLater);

function startsWith(text: string): (bytes: Uint8Array) => boolean {
  const prefix = Buffer.from(text);
  return (bytes) => Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;
}
