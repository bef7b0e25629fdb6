import { nextSlice } from "../../../base/time-slice.js";
import { decodeObject } from "../../../machinery/codec/strict-decode.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { Scheme, VersionedKind } from "../../../machinery/scheme/scheme.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { isLong, type RequestBody } from "../negotiation/request-body.js";
import { patchedKind } from "../negotiation/patched-kind.js";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface DecodedDraft {
  /** In the version it was sent in, with that version's defaults. The caller's own. */
  readonly object: KubeObject;
  /** Unknown and repeated fields, for Warning headers. */
  readonly warnings: readonly string[];
}

/** What a patch made. */
export interface PatchedObject {
  readonly object: KubeObject;
  /** Unknown and repeated fields. */
  readonly strictErrors: readonly string[];
}

/** One kind at one version: from bodies to the hub's shape and back. */
export class VersionCodec {
  readonly gvk: GroupVersionKind;
  readonly apiVersion: string;
  /** True when objects are stored in this version, so that stored bytes are the answer's bytes. */
  readonly isHub: boolean;

  /**
   * `hub` is the kind that `kind` is stored as: of its {@link VersionedKind.hub}. `now` is milliseconds since the epoch, for
   * defaults.
   */
  constructor(
    readonly kind: VersionedKind,
    readonly hub: VersionedKind,
    private readonly scheme: Scheme,
    private readonly now: () => number,
  ) {
    this.gvk = kind.gvk;
    this.apiVersion = formatGroupVersion(this.gvk);
    this.isHub = kind === hub;
  }

  get schema(): StructSchema {
    return this.kind.schema;
  }

  kindAt(gvk: GroupVersionKind): VersionedKind | undefined {
    return this.scheme.isRegistered(gvk) ? this.scheme.kind(gvk) : undefined;
  }

  /** The schema of another kind; undefined for one that the server does not know. */
  schemaOf(gvk: GroupVersionKind): StructSchema | undefined {
    return this.scheme.isRegistered(gvk) ? this.scheme.kind(gvk).schema : undefined;
  }

  /**
   * A body as this version's kind: kind and apiVersion may be left out but must not be others. Throws 400 with what
   * does not fit, unknown and repeated fields included when `mode` is Strict. The object is the caller's own.
   */
  async decode(body: RequestBody, mode: FieldValidation): Promise<DecodedDraft> {
    const { object, warnings } = await decodeBody(body, {
      expected: this.gvk,
      mode,
      schemaOf: (gvk) => this.schemaOf(gvk),
    });
    if (isLong(body.bytes)) await nextSlice();
    this.kind.applyDefaults(object, this.now());
    return { object, warnings };
  }

  /**
   * A value that a patch made of an object of this version, as the kind it says it is: of another version it is brought to
   * this one. Throws an UnmarshalError for another kind. The caller decides about strict problems, which are returned.
   */
  decodeStated(value: JsonValue, mode: FieldValidation): PatchedObject {
    const stated = patchedKind(value, this.gvk);
    if (stated === undefined) return { object: {}, strictErrors: [] };
    if (stated === this.gvk) return this.decodePatched(value, mode);
    const other = this.scheme.kind(stated);
    const { object, strictErrors } = decodeObject<KubeObject>(value, other.schema, { mode });
    other.applyDefaults(object, this.now());
    const converted = this.kind.fromHub(other.toHub(object));
    return { object: { ...converted, kind: this.gvk.kind, apiVersion: this.apiVersion }, strictErrors };
  }

  /** A value that a patch made of an object of this version, whatever it says it is. Else as {@link decodeStated}. */
  decodePatched(value: JsonValue, mode: FieldValidation): PatchedObject {
    const { object, strictErrors } = decodeObject<KubeObject>(value, this.schema, { mode });
    object.kind = this.gvk.kind;
    object.apiVersion = this.apiVersion;
    this.kind.applyDefaults(object, this.now());
    return { object, strictErrors };
  }

  /** A decoded draft as the hub has it, with the hub's defaults too; takes the draft over. */
  toHub(draft: KubeObject): KubeObject {
    if (this.isHub && !this.kind.converts) return draft;
    const object = this.kind.toHub(draft);
    this.hub.applyDefaults(object, this.now());
    return object;
  }

  /** A hub object as this version has it. The argument is not changed; what did not need to change is shared. */
  fromHub(object: KubeObject): KubeObject {
    return this.isHub ? object : this.kind.fromHub(object);
  }
}
