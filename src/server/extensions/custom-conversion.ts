import { object } from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { BatchConversion, Conversion } from "../../machinery/scheme/scheme.js";
import { prune } from "../../machinery/structural/prune.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import { type ConvertObjects, conversionWebhook } from "./conversion-webhook.js";
import type { CustomVersion } from "./custom-version.js";
import type { KnownDefinition } from "./known-definition.js";
import type { SentForms } from "./sent-forms.js";

/**
 * The way from another version to the stored one and back, by name alone. What the storage version does not have is on its way
 * there until the object is valid by the version that it came in.
 */
export const conversionByName = (version: CustomVersion): Conversion => ({
  toHub: (one) => one,
  fromHub: (one) => pruned(one, version),
});

/** The way from other versions to the stored one and back by the definition's webhook; `sent` remembers the objects of requests. */
export function conversionByWebhook(
  definition: KnownDefinition,
  stored: CustomVersion,
  webhooks: WebhookClients,
  sent: SentForms,
): (version: CustomVersion) => BatchConversion {
  const { listKind } = definition.accepted;
  let convert: ConvertObjects | undefined;
  const converter = (): ConvertObjects => {
    const { webhook } = object(object(definition.read().spec).conversion);
    return (convert ??= conversionWebhook(object(webhook), webhooks));
  };
  const apiVersion = ({ name }: CustomVersion): string => `${definition.group}/${name}`;
  return (version) => ({
    convertMany: async (given, direction, caller) => {
      const target = direction === "toHub" ? stored : version;
      const converted = await converter()(given, apiVersion(target), { listKind, signal: caller?.signal });
      const shaped = converted.map((one) => pruned(one, target));
      const [form, draft, ...more] = [given[0], ...shaped];
      if (direction === "toHub" && form !== undefined && draft !== undefined && more.length === 0) {
        sent.remember(form, draft);
      }
      return shaped;
    },
  });
}

/** A copy with the fields that the version declares. */
function pruned(given: KubeObject, { structural }: CustomVersion): KubeObject {
  const copy = deepCopy(given as unknown as JsonValue) as JsonObject;
  prune(copy, structural, { isResourceRoot: true });
  return copy as unknown as KubeObject;
}
