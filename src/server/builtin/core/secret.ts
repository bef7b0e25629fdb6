import { validateSecret, validateSecretUpdate } from "../../../api/validation/config.js";
import { text } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";

export const secretStrategy: Strategy = {
  /** A secret keeps its type when a client leaves it out. */
  prepareForUpdate(draft, old) {
    if (text(draft.type) === "") draft.type = old.type;
  },
  validate: validateSecret,
  validateUpdate: (secret, old) => [...validateSecret(secret), ...validateSecretUpdate(secret, old)],
  fieldLabels: ["type"],
  fields: (secret) => ({ type: text(secret.type) }),
};
