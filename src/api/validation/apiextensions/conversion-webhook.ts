import { append } from "../../../base/collections/append.js";
import {
  forbiddenField,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, isFields, list, object, text } from "../../../machinery/meta/access.js";
import { dns1035LabelErrors } from "../../../machinery/validation/names.js";
import { validateWebhookService, validateWebhookUrl } from "../admissionregistration/webhook-client.js";
import { repeatedAt } from "../rules.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { rootCertificatesIn } from "../../../machinery/crypto/certificates.js";
import type { Conversion, Webhook, ClientConfig } from "./definition-types.js";

const PATH = "spec.conversion";
const CLIENT = `${PATH}.webhookClientConfig`;
const KNOWN_REVIEWS = ["v1", "v1beta1"];

export interface ConversionRules {
  /** One of the reviews must be of a version that servers speak. */
  readonly requireKnownReview: boolean;
  readonly allowInvalidCaBundle: boolean;
}

/** Validates the conversion of a definition: its strategy and its webhook. */
export function validateConversion(conversion: Conversion, rules: ConversionRules): FieldError[] {
  const strategy = text(conversion.strategy);
  const webhook: Webhook = object(conversion.webhook);
  const client = webhook.clientConfig;
  const reviews = list(webhook.conversionReviewVersions).map(text);
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${PATH}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook") {
    errors.push(notSupported(`${PATH}.strategy`, strategy, ["None", "Webhook"]));
  }
  if (strategy === "Webhook") {
    if (isFields(client)) append(errors, validateClient(client, rules));
    else errors.push(required(CLIENT, "required when strategy is set to Webhook"));
    return [...errors, ...validateReviewVersions(reviews, rules)];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (isFields(client)) errors.push(forbiddenField(CLIENT, detail));
  if (reviews.length > 0) errors.push(forbiddenField(`${PATH}.conversionReviewVersions`, detail));
  return errors;
}

function validateClient(client: ClientConfig, { allowInvalidCaBundle }: ConversionRules): FieldError[] {
  const { url, service } = client;
  const bundle = text(client.caBundle);
  const errors: FieldError[] = [];
  if (absent(url) === absent(service)) errors.push(required(CLIENT, "exactly one of url or service is required"));
  else if (absent(url)) append(errors, validateWebhookService(object(service), `${CLIENT}.service`));
  else append(errors, validateWebhookUrl(text(url), `${CLIENT}.url`));
  const problem = allowInvalidCaBundle ? undefined : caBundleProblem(bundle);
  return problem === undefined ? errors : [...errors, invalidValue(`${CLIENT}.caBundle`, bundle, problem)];
}

function validateReviewVersions(versions: readonly string[], { requireKnownReview }: ConversionRules): FieldError[] {
  const path = `${PATH}.conversionReviewVersions`;
  if (versions.length === 0) return [required(path)];
  const again = repeatedAt(versions);
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (again.has(index)) return [invalidValue(at, version, "duplicate version")];
    return dns1035LabelErrors(version).map((message) => invalidValue(at, version, message));
  });
  if (!requireKnownReview || speaksKnownReview(versions)) return errors;
  return [...errors, invalidValue(path, versions, `must include at least one of ${KNOWN_REVIEWS.join(", ")}`)];
}

export const speaksKnownReview = (versions: readonly string[]): boolean =>
  versions.some((version) => KNOWN_REVIEWS.includes(version));

/** Returns why a CA bundle in base64 cannot be used; undefined for a good bundle and for "". */
export function caBundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  try {
    rootCertificatesIn(Buffer.from(bundle, "base64").toString("latin1"));
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
