import { absent, list } from "../../../machinery/meta/access.js";
import { schemaHas } from "./schema-walk.js";

/** Whether a schema has keywords of Kubernetes (x-kubernetes-...) that only structural schemas may have. */
export const hasExtensions = (schema: unknown): boolean =>
  schemaHas(
    schema,
    (inner) =>
      inner["x-kubernetes-embedded-resource"] === true ||
      inner["x-kubernetes-int-or-string"] === true ||
      !absent(inner["x-kubernetes-preserve-unknown-fields"]) ||
      !absent(inner["x-kubernetes-list-type"]) ||
      ["x-kubernetes-list-map-keys", "x-kubernetes-validations"].some((field) => list(inner[field]).length > 0),
  );
