import { annotate } from "../annotate.js";
import type { AdmissionAttributes } from "../attributes.js";

const MAX_VALUE_BYTES = 10 * 1024;

/** The audit annotations of one policy. The different values that its bindings have for a key are one annotation. */
export class AnnotationValues {
  readonly #values = new Map<string, string[]>();

  add(key: string, value: string): void {
    const shown = Buffer.byteLength(value) > MAX_VALUE_BYTES ? cut(value) : value;
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, [shown]);
    else if (!known.includes(shown)) known.push(shown);
  }

  publish(policy: string, attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#values) annotate(attributes, `${policy}/${key}`, values.join(", "));
  }
}

/** Its first bytes; a character that the end cuts is left out. */
function cut(value: string): string {
  const text = Buffer.from(value).subarray(0, MAX_VALUE_BYTES).toString("utf8");
  return text.replace(/\uFFFD+$/, "");
}
