import { defaultSecret } from "../../../api/defaults/core.js";
import { validateSecret, validateSecretUpdate } from "../../../api/validation/config.js";
import { ensureChild, isFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";

export const secretStrategy: Strategy = {
  applyDefaults(draft) {
    encodeStringData(draft);
    defaultSecret(draft);
  },
  /** A secret keeps its type when a client leaves it out. */
  prepareForUpdate(draft, old) {
    if (text(draft.type) === "") draft.type = old.type;
  },
  validate: validateSecret,
  validateUpdate: (secret, old) => [...validateSecret(secret), ...validateSecretUpdate(secret, old)],
  fieldLabels: ["type"],
  fields: (secret) => ({ type: text(secret.type) }),
};

/** `stringData` can be written and never read: it overrides `data`, key by key. */
function encodeStringData(secret: KubeObject): void {
  if (isFields(secret.stringData) && Object.keys(secret.stringData).length > 0) {
    const data = ensureChild(secret, "data");
    for (const [key, value] of Object.entries(secret.stringData)) {
      const encoded = Buffer.from(text(value)).toString("base64");
      Object.defineProperty(data, key, { value: encoded, enumerable: true, configurable: true, writable: true });
    }
  }
  delete secret.stringData;
}
