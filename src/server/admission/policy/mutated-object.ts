import { internalError, serviceUnavailable } from "../../../machinery/errors/status-error.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { AdmissionAttributes } from "../attributes.js";
import { shownAs } from "../expressions/evaluated-request.js";
import { replaceObject } from "../replace-object.js";

/** The draft of a request, in one version, while one policy changes it. */
export class MutatedObject {
  /** As the object's JSON reads now. */
  view: JsonObject;
  #restored: KubeObject | undefined;

  private constructor(
    private readonly attributes: AdmissionAttributes,
    private readonly draft: KubeObject,
    private readonly kind: GroupVersionKind,
    private readonly before: JsonObject,
  ) {
    this.view = before;
  }

  /** Undefined for a request without an object. Rejects with a {@link ConversionError}. */
  static async of(attributes: AdmissionAttributes, kind: GroupVersionKind): Promise<MutatedObject | undefined> {
    const { object } = attributes;
    if (object === undefined) return undefined;
    return new MutatedObject(attributes, object, kind, await shownAs(kind, object, attributes));
  }

  get schema(): StructSchema {
    const schema = this.attributes.versions.schemaOf(this.kind);
    if (schema !== undefined) return schema;
    const { group, version, kind } = this.kind;
    const text = `Resource kind ${group}/${version}, Kind=${kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`;
    throw serviceUnavailable(text);
  }

  /** Takes what a patch made, with the defaults of the version. Rejects with an Error for what is not of the kind; unknown fields are a 500 if `strict`. */
  async become(patched: JsonValue, strict: boolean): Promise<void> {
    const { versions } = this.attributes;
    if (strict) {
      const { strictErrors } = decodeObject(patched, this.schema);
      if (strictErrors.length > 0) throw internalError(`strict decoding error: ${strictErrors.join(", ")}`);
    }
    const object = await versions.decode(patched, this.kind);
    this.#restored = await versions.restore(object, this.kind);
    this.view = await shownAs(this.kind, this.#restored, this.attributes);
  }

  /** Whether a patch was applied, which may have changed nothing. */
  get patched(): boolean {
    return this.#restored !== undefined;
  }

  get changed(): boolean {
    return this.patched && !deepEqual(this.view, this.before);
  }

  /** Makes the request's object what the patches made. */
  keep(): void {
    if (this.#restored !== undefined) replaceObject(this.draft, this.#restored);
  }
}
