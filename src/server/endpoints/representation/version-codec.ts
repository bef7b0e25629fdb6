import type { FieldsOf } from "../../../machinery/meta/received.js";
import { atOnce, type Steps, waitFor } from "../../../base/async/steps.js";
import { nextSlice } from "../../../base/async/time-slice.js";
import { encodeObject } from "../../../machinery/wire/encode.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { decodeObject, decodeObjectSteps } from "../../../machinery/wire/strict-decode.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ConversionCaller, Scheme, VersionedKind } from "../../../machinery/scheme/scheme.js";
import type { StoredObject } from "../../storage/store.js";
import { metaGroupSchema } from "../meta-kinds.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { isLong, type RequestBody } from "../negotiation/request-body.js";
import { patchedKind } from "../negotiation/patched-kind.js";
import { andThen, convertAll, convertOne, type NowOrLater } from "./convert.js";
import { ConvertedObjects } from "./converted-objects.js";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface DecodedDraft {
  /** The object in the version in which it was sent, with that version's defaults. The caller may change it. */
  readonly object: KubeObject;
  /** Unknown and repeated fields, for Warning headers. */
  readonly warnings: readonly string[];
}

/** The decoded result of a patch. */
export interface PatchedObject {
  readonly object: KubeObject;
  /** Unknown and repeated fields. */
  readonly strictErrors: readonly string[];
}

/** The options for decoding the result of a patch. */
export interface DecodePatched {
  /** True when it may hold so many values that it is decoded in steps. */
  readonly isLongWork: boolean;
  /** True when the object must share nothing with the value. */
  readonly sharesNothing?: boolean;
}

/**
 * Converts between bodies of one kind at one version and the hub's shape. Methods return a promise only for a kind that converts
 * later ({@link VersionedKind.convertsLater}); callers await promises only, so that other kinds cost nothing.
 */
export class VersionCodec {
  readonly gvk: GroupVersionKind;
  readonly apiVersion: string;
  readonly #isHub: boolean;
  /** True when objects are stored in this version, so that stored bytes are the answer's bytes. */
  readonly isStored: boolean;
  /** The cache of a version that converts later. */
  readonly #converted: ConvertedObjects | undefined;

  /**
   * `hub` is of `kind`'s {@link VersionedKind.hub}, in which the server has objects. `storesHub` tells whether it stores them so, too. `now` is
   * milliseconds since the epoch, for defaults.
   */
  constructor(
    readonly kind: VersionedKind,
    readonly hub: VersionedKind,
    private readonly scheme: Scheme,
    private readonly now: () => number,
    storesHub = true,
  ) {
    this.gvk = kind.gvk;
    this.apiVersion = formatGroupVersion(this.gvk);
    this.#isHub = kind === hub;
    this.isStored = this.#isHub && storesHub;
    if (this.#isHub || !kind.convertsLater) return;
    this.#converted = new ConvertedObjects(
      (objects, caller) => convertAll(kind, objects, "fromHub", caller),
      (object) => encodeObject(object, kind.schema),
    );
  }

  get schema(): StructSchema {
    return this.kind.schema;
  }

  /** The schema of another kind; undefined for one that the server does not know. */
  readonly schemaOf = (gvk: GroupVersionKind): StructSchema | undefined =>
    this.scheme.isRegistered(gvk) ? this.scheme.kind(gvk).schema : metaGroupSchema(gvk);

  /** Returns this kind at another version ("apps/v1beta1"); undefined when the server does not know it. */
  kindAt(apiVersion: string): VersionedKind | undefined {
    if (apiVersion.split("/").length > 2) return undefined;
    const gvk = { ...parseGroupVersion(apiVersion), kind: this.gvk.kind };
    return this.scheme.isRegistered(gvk) ? this.scheme.kind(gvk) : undefined;
  }

  /** Returns a version of this kind's objects, which is one with the same hub, in whatever group; undefined for any other kind. */
  versionAt(gvk: GroupVersionKind): VersionedKind | undefined {
    if (!this.scheme.isRegistered(gvk)) return undefined;
    const kind = this.scheme.kind(gvk);
    const { group, version, kind: name } = this.hub.gvk;
    return kind.hub.group === group && kind.hub.version === version && kind.hub.kind === name ? kind : undefined;
  }

  /**
   * Decodes a body as this version's kind: kind and apiVersion may be left out but must not differ. Throws 400 for values that do not fit,
   * in Strict `mode` also for unknown and repeated fields. The caller may change the object.
   */
  async decode(body: RequestBody, mode: FieldValidation): Promise<DecodedDraft> {
    const { object, warnings } = await decodeBody(body, { expected: this.gvk, mode, schemaOf: this.schemaOf });
    if (isLong(body.bytes)) await nextSlice(body.token);
    this.kind.applyDefaults(object, this.now());
    return { object, warnings };
  }

  /**
   * A value that a patch made of an object of this version, as the kind it says it is: of another version it is brought to
   * this one. Throws an UnmarshalError for another kind. The caller decides about strict problems, which are returned.
   */
  *decodeStatedSteps(value: JsonValue, mode: FieldValidation, how: DecodePatched): Steps<PatchedObject> {
    const stated = patchedKind(value, this.gvk, this.schemaOf);
    if (stated === undefined) return { object: {}, strictErrors: [] };
    if (stated === this.gvk) return yield* this.decodePatchedSteps(value, mode, how);
    const other = this.scheme.kind(stated);
    const { object, strictErrors } = yield* decodeObjectSteps<KubeObject>(value, other.schema, { mode });
    other.applyDefaults(object, this.now());
    const hub = yield* waitFor(convertOne(other, object, "toHub"));
    const one = yield* waitFor(convertOne(this.kind, hub, "fromHub"));
    return {
      object: { ...one, kind: this.gvk.kind, apiVersion: this.apiVersion } satisfies FieldsOf<ApiObject>,
      strictErrors,
    };
  }

  /**
   * Decodes the result of a patch of an object of this version, whatever kind and version it names. Otherwise as {@link decodeStatedSteps}.
   */
  decodePatched(value: JsonValue, mode: FieldValidation): PatchedObject {
    return atOnce(this.decodePatchedSteps(value, mode, { isLongWork: false }));
  }

  /** {@link decodePatched} in steps. */
  *decodePatchedSteps(
    value: JsonValue,
    mode: FieldValidation,
    { isLongWork, sharesNothing = false }: DecodePatched,
  ): Steps<PatchedObject> {
    const options = { mode, sharesNothing };
    const { object, strictErrors } = isLongWork
      ? yield* decodeObjectSteps<KubeObject>(value, this.schema, options)
      : decodeObject<KubeObject>(value, this.schema, options);
    yield;
    object.kind = this.gvk.kind;
    object.apiVersion = this.apiVersion;
    this.kind.applyDefaults(object, this.now());
    return { object, strictErrors };
  }

  /**
   * Converts a decoded draft to the hub, with the hub's defaults; the draft must not be used afterwards. `caller` is the request, here and
   * below.
   */
  toHub(draft: KubeObject, caller?: ConversionCaller): NowOrLater<KubeObject> {
    if (this.#isHub && !this.kind.converts) return draft;
    return andThen(convertOne(this.kind, draft, "toHub", caller), (object) => {
      this.hub.applyDefaults(object, this.now());
      return object;
    });
  }

  /** Converts a hub object to this version. The argument is not changed; parts that need no conversion are shared. */
  fromHub(object: KubeObject, caller?: ConversionCaller): NowOrLater<KubeObject> {
    return this.#isHub ? object : convertOne(this.kind, object, "fromHub", caller);
  }

  /** True when {@link prepare} has to be called before objects are encoded in this version. */
  get convertsLater(): boolean {
    return this.#converted !== undefined;
  }

  /**
   * Converts stored objects that are about to be encoded, many in one call. Returns undefined when there is nothing to wait for, as always
   * for a version that does not convert later.
   */
  prepare(objects: readonly StoredObject[], caller?: ConversionCaller): Promise<void> | undefined {
    return this.#converted?.prepare(objects, caller);
  }

  /** Returns the JSON of a prepared object; undefined for a version that does not convert later. */
  prepared(stored: StoredObject): Uint8Array | undefined {
    return this.#converted?.get(stored);
  }

  /** As {@link prepared}, decoded; the caller may change it. */
  preparedObject(stored: StoredObject): KubeObject | undefined {
    const converted = this.#converted;
    return converted && (decodeJson(converted.get(stored)).value as KubeObject);
  }

  /** Returns a stored object in this version. It is shared and must not be changed. */
  shown(stored: StoredObject, caller?: ConversionCaller): NowOrLater<KubeObject> {
    const converted = this.#converted;
    if (converted === undefined) return this.fromHub(stored.object());
    return andThen(converted.prepare([stored], caller), () => decodeJson(converted.get(stored)).value as KubeObject);
  }
}
