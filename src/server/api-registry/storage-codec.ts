import type { FieldsOf } from "../../machinery/meta/received.js";
import { once } from "../../base/async/once.js";
import type { Steps } from "../../base/async/steps.js";
import type { Clock } from "../../base/time/clock.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { withoutField } from "../../machinery/schema/build-schema.js";
import type { Scheme, VersionedKind } from "../../machinery/scheme/scheme.js";
import { hasProtobuf } from "../endpoints/negotiation/response-format.js";
import { storageFormat, storageFormatOf, storageMediaTypeOf } from "../endpoints/serializers/index.js";
import type { StorageFormat, StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { InternalKind } from "../registry/internal-object.js";
import type { Strategy } from "../registry/strategy.js";
import type { ObjectCodec } from "../storage/store.js";
import { convertAll } from "../endpoints/representation/convert.js";

/** Groups whose objects kube-apiserver stores as JSON whatever its --storage-media-type says. */
const STORED_AS_JSON: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

interface StorageCodecConfig {
  readonly scheme: Scheme;
  readonly clock: Clock;
  /** What is written. Bytes in the other form are read, too. */
  readonly mediaType: StorageMediaType;
}

/** Makes the codec of a kind's stored objects, in the hub's version. */
export function storageCodec(
  { scheme, clock, mediaType }: StorageCodecConfig,
  hub: VersionedKind,
  strategy: Pick<Strategy, "fields">,
): ObjectCodec {
  const schemaOf = (kind: GroupVersionKind): StructSchema => scheme.kind(kind).schema;
  let known: Encoder | undefined;
  const written = (): Encoder => (known ??= encoder(hub.gvk, hub.schema, mediaType));
  const encode = (object: KubeObject): Uint8Array => written().encode(object);
  let upstream: Encoder | undefined;
  return {
    decode(bytes) {
      const format = storageFormatOf(bytes);
      const object = format.decode(bytes, schemaOf);
      if (format.isComplete) return object;
      hub.applyDefaults(object, clock.now());
      return hub.toHub(object);
    },
    encode,
    encodeSteps: (object) => written().encodeSteps(object),
    lengthInEtcd(object, bytes) {
      upstream ??= encoder(hub.gvk, hub.schema, "application/vnd.kubernetes.protobuf");
      const { form, encode } = upstream;
      const { length } = storageMediaTypeOf(bytes) === form ? bytes : encode(object);
      // Go's JSON ends with a newline.
      return form === "application/json" ? length + 1 : length;
    },
    upgrade(bytes) {
      const stored = storageFormatOf(bytes).decode(bytes, schemaOf);
      const version = scheme.kindOf(stored);
      const { object } = decodeObject<KubeObject>(stored, version.schema, { mode: "Ignore" });
      version.applyDefaults(object, clock.now());
      const upgraded = version.toHub(object);
      hub.applyDefaults(upgraded, clock.now());
      const encoded = encode(upgraded);
      return Buffer.compare(encoded, bytes) === 0 ? bytes : encoded;
    },
    attributes(object) {
      const { name = "", namespace = "", labels = {} } = object.metadata ?? {};
      return {
        labels,
        fields: { ...strategy.fields?.(object), "metadata.name": name, "metadata.namespace": namespace },
      };
    },
  };
}

/** Encodes internal objects as another API server stores them, for an internal kind that the scheme knows; compare {@link internalCodec}. */
export function internalStorageCodec(
  { scheme, mediaType }: StorageCodecConfig,
  { apiVersion, kind }: Pick<InternalKind, "apiVersion" | "kind">,
  json: ObjectCodec,
): ObjectCodec {
  const gvk = { ...parseGroupVersion(apiVersion), kind };
  if (!scheme.isRegistered(gvk)) return json;
  const schemaOf = (): StructSchema => scheme.kind(gvk).schema;
  const decode = (bytes: Uint8Array): KubeObject => storageFormatOf(bytes).decode(bytes, schemaOf);
  if (mediaType === "application/json") return { ...json, decode };
  return { ...json, decode, encode: encoder(gvk, schemaOf(), mediaType).encode };
}

interface Encoder {
  /** What it encodes to, which for some kinds is JSON in any case. */
  readonly form: StorageMediaType;
  encode(object: KubeObject): Uint8Array;
  encodeSteps(object: KubeObject): Steps<Uint8Array>;
}

function encoder(gvk: GroupVersionKind, whole: StructSchema, mediaType: StorageMediaType): Encoder {
  const { kind } = gvk;
  const apiVersion = formatGroupVersion(gvk);
  const { form, format, schema } = written(gvk, whole, mediaType);
  const named = (object: KubeObject): KubeObject =>
    object.kind === kind && object.apiVersion === apiVersion
      ? object
      : ({ ...object, kind, apiVersion } satisfies FieldsOf<ApiObject>);
  return {
    form,
    encode: (object) => format.encode(named(object), schema),
    encodeSteps: (object) => format.encodeSteps(named(object), schema),
  };
}

/** No version is stored: the store gives it. JSON leaves the field out, protobuf has it empty. */
function written(
  { group }: GroupVersionKind,
  whole: StructSchema,
  mediaType: StorageMediaType,
): { readonly form: StorageMediaType; readonly format: StorageFormat; readonly schema: StructSchema } {
  if (mediaType === "application/json" || STORED_AS_JSON.has(group) || !hasProtobuf(whole)) {
    return {
      form: "application/json",
      format: storageFormat("application/json"),
      schema: withoutField(whole, ["metadata", "resourceVersion"]),
    };
  }
  return { form: mediaType, format: withoutVersion(storageFormat(mediaType)), schema: whole };
}

const withoutVersion = (format: StorageFormat): StorageFormat => ({
  ...format,
  encode: (object, schema) => format.encode(versionless(object), schema),
  encodeSteps: (object, schema) => format.encodeSteps(versionless(object), schema),
});

function versionless(object: KubeObject): KubeObject {
  const { resourceVersion = "", ...metadata } = object.metadata ?? {};
  return resourceVersion === "" ? object : ({ ...object, metadata } satisfies FieldsOf<ApiObject>);
}

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
  const schemaOf = (gvk: GroupVersionKind): StructSchema => (scheme.isRegistered(gvk) ? scheme.kind(gvk) : hub).schema;
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
      return object.apiVersion === apiVersion ? object : ({ ...object, apiVersion } satisfies FieldsOf<ApiObject>);
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

/**
 * A codec over `codec` for a kind whose hub is an internal version: objects are stored as `stored`, and a read converts what is stored, in
 * whatever version, to the hub.
 */
export function internalHubCodec(
  { scheme, clock, mediaType }: StorageCodecConfig,
  stored: VersionedKind,
  codec: ObjectCodec,
): ObjectCodec {
  const schemaOf = (kind: GroupVersionKind): StructSchema => scheme.kind(kind).schema;
  const own = once(() => storageCodec({ scheme, clock, mediaType }, stored, {}));
  /** Pruned and with the defaults of the version that it is stored in, as the hub. */
  const read = (bytes: Uint8Array): KubeObject => {
    const parsed = storageFormatOf(bytes).decode(bytes, schemaOf);
    const version = scheme.kindOf(parsed);
    const { object } = decodeObject<KubeObject>(parsed, version.schema, IGNORE);
    version.applyDefaults(object, clock.now());
    return version.toHub(object);
  };
  return {
    ...codec,
    upgradesAlways: true,
    decode: read,
    encode: (object) => own().encode(stored.fromHub(object)),
    *encodeSteps(object) {
      const { encode, encodeSteps } = own();
      const form = stored.fromHub(object);
      return encodeSteps === undefined ? encode(form) : yield* encodeSteps(form);
    },
    lengthInEtcd: (object, bytes) => own().lengthInEtcd?.(stored.fromHub(object), bytes) ?? bytes.length,
    upgrade(bytes) {
      const encoded = own().encode(stored.fromHub(read(bytes)));
      return Buffer.compare(encoded, bytes) === 0 ? bytes : encoded;
    },
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
