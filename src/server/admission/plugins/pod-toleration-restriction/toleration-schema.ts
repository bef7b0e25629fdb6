import { int64, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";

/** A toleration in an annotation, or in the plugin's configuration. */
export const TOLERATION: StructSchema = {
  ...struct("Toleration", { key: string, operator: string, value: string, effect: string, tolerationSeconds: int64 }),
  goType: "v1.Toleration",
};
