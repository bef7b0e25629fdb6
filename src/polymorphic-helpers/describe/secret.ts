import { object, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { order } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

/** Describes a Secret: the sizes of its values, and in full only the token of a service account. kubectl requests no events here. */
export const describeSecret: Describer = async (namespace, name, description, { reader }) => {
  const secret = await reader.get("v1/Secret", namespace, name);
  describeName(description, secret);
  describeLabelsAndAnnotations(description, secret);
  description.write(0, `\nType:\t${text(secret.type)}\n`);
  description.write(0, "\nData\n====\n");
  for (const [key, value] of Object.entries(object(secret.data)).sort(([a], [b]) => order(a, b))) {
    const bytes = Uint8Array.from(atob(text(value)), (byte) => byte.charCodeAt(0));
    const isToken = key === "token" && secret.type === "kubernetes.io/service-account-token";
    const shown = isToken ? new TextDecoder().decode(bytes) : `${bytes.length} bytes`;
    description.write(0, `${key}:\t${shown}\n`);
  }
};
