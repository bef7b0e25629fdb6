import type { FieldsOf } from "../../machinery/meta/received.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { deepCopy, deepEqual } from "../../machinery/patch/json-values.js";

/** What a client sent, and what a webhook made of it: its content and its status as they were then. */
interface Sent {
  readonly form: KubeObject;
  readonly content: Readonly<Record<string, JsonValue>>;
  readonly status: JsonValue | undefined;
}

/**
 * The objects of requests as they were sent, by what a webhook converted them to. A conversion there and back may fill in what the
 * client left out, so what was sent is validated, and not what a webhook makes of the stored version.
 */
export class SentForms {
  readonly #sent = new WeakMap<object, Sent>();

  /** Call it with an object of a request, right after its conversion. */
  remember(form: KubeObject, converted: KubeObject): void {
    const { status } = converted as { status?: JsonValue };
    const content = deepCopy(contentOf(converted));
    const sent: Sent = { form, content, status: status && deepCopy(status) };
    for (const key of keysOf(converted)) this.#sent.set(key, sent);
  }

  /**
   * A draft of the stored version as it was sent; `oldForm` is the old object in the version of the request. Undefined where the draft was
   * changed since, such as by a mutating webhook.
   */
  of(draft: KubeObject, old: KubeObject | undefined, oldForm: KubeObject | undefined): KubeObject | undefined {
    const sent = keysOf(draft).reduce<Sent | undefined>((found, key) => found ?? this.#sent.get(key), undefined);
    if (sent === undefined) return undefined;
    const { apiVersion, kind, status: _, ...content } = sent.form;
    const isSent = deepEqual(contentOf(draft), sent.content);
    if (!isSent && (old === undefined || !deepEqual(contentOf(draft), contentOf(old)))) return undefined;
    const status = this.#statusOf(draft, sent, old, oldForm);
    if (status === null) return undefined;
    const { status: __, ...oldContent } = oldForm ?? {};
    return {
      ...(isSent ? content : oldContent),
      ...(apiVersion !== undefined && ({ apiVersion } satisfies FieldsOf<ApiObject>)),
      ...(kind !== undefined && ({ kind } satisfies FieldsOf<ApiObject>)),
      ...(draft.metadata !== undefined && ({ metadata: draft.metadata } satisfies FieldsOf<ApiObject>)),
      ...(status !== undefined && { status }),
    };
  }

  /** null where it was changed. */
  #statusOf(draft: KubeObject, sent: Sent, old: KubeObject | undefined, oldForm: KubeObject | undefined): unknown {
    const { status } = draft as { status?: JsonValue };
    if (status === undefined) return undefined;
    if (sent.status !== undefined && deepEqual(status, sent.status)) return sent.form["status"];
    const before = old?.["status"] as JsonValue | undefined;
    return before !== undefined && deepEqual(status, before) ? oldForm?.["status"] : null;
  }
}

function contentOf(object: KubeObject): Record<string, JsonValue> {
  const { apiVersion: _, kind: __, metadata: ___, status: ____, ...content } = object;
  return content as Record<string, JsonValue>;
}

/** The parts of an object that stay the same values while the object is passed on. */
function keysOf(given: KubeObject): readonly object[] {
  const { metadata: _, ...object } = given;
  return Object.values(object).filter((value): value is object => typeof value === "object" && value !== null);
}
