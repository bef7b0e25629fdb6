import type { Secret } from "../../../api/types/core/v1.js";
import { validateSecret, validateSecretUpdate } from "../../../api/validation/core/config.js";
import { object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const secretRecord: RecordOf<Secret> = {
  group: "",
  resource: "secrets",
  strategy: {
    /** A secret keeps its type when a client leaves it out. */
    prepareForUpdate(draft, old) {
      if (text(draft.type) === "") draft.type = old.type;
    },
    validate: validateSecret,
    validateUpdate: (secret, old) => [...validateSecret(secret), ...validateSecretUpdate(secret, old)],
    fieldLabels: ["type"],
    fields: (secret) => ({ type: text(secret.type) }),
    columns: columns(
      [
        "Name",
        ["Type", "What the keys mean, for programs that read the secret."],
        ["Data", "How many keys it has."],
        "Age",
      ],
      (secret, now) => [name(secret), text(secret.type), Object.keys(object(secret.data)).length, age(secret, now)],
    ),
  },
};
