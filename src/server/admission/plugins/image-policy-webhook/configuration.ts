import type { ClientConfig } from "../../../../client/config/client-config.js";
import { goDurationText } from "../../../../client/rest/go-duration-text.js";
import { configFromFile } from "../../../../client/config/load-config.js";
import type { ConfigurationDocument } from "../../../../machinery/wire/configuration-document.js";
import { decodeObject } from "../../../../machinery/wire/strict-decode.js";
import { anyJson, boolean, int64, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";

export interface ImagePolicyWebhookConfiguration {
  /** The webhook and the credentials that it is shown, as `configFromFile` of a kubeconfig answers them. */
  readonly client: ClientConfig;
  /** How long an answer that allows is kept, in seconds. 0, or left out: 300. -1: not at all. */
  readonly allowTTL?: number;
  /** How long an answer that denies is kept, in seconds. 0, or left out: 30. -1: not at all. */
  readonly denyTTL?: number;
  /** The first pause between tries, in milliseconds. 0, or left out: 500. -1: none. */
  readonly retryBackoff?: number;
  /** Whether pods are let pass while the webhook fails. Default: false. */
  readonly defaultAllow?: boolean;
}

/** In milliseconds; 0 where there is none. */
export interface ImagePolicyTimes {
  readonly retryBackoff: number;
  readonly allowTtl: number;
  readonly denyTtl: number;
}

const NANOSECOND = 1e-6;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Throws in the plugin's words for a time beyond its bounds. */
export function timesOf(configuration: Omit<ImagePolicyWebhookConfiguration, "client">): ImagePolicyTimes {
  const { retryBackoff = 0, allowTTL = 0, denyTTL = 0 } = configuration;
  const ttl = { unit: SECOND, least: SECOND, most: 30 * MINUTE };
  return {
    retryBackoff: timeOf(retryBackoff, { unit: 1, least: NANOSECOND, most: 5 * MINUTE, usual: 500 }),
    allowTtl: timeOf(allowTTL, { ...ttl, usual: 5 * MINUTE }),
    denyTtl: timeOf(denyTTL, { ...ttl, usual: 30 * SECOND }),
  };
}

interface Bounds {
  readonly unit: number;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

function timeOf(value: number, { unit, least, most, usual }: Bounds): number {
  if (value === -1) return 0;
  if (value === 0) return usual;
  const time = value * unit;
  if (time >= least && time <= most) return time;
  const [low, high, given] = [least, most, time].map(goDurationText);
  throw new Error(`valid value is between ${low} and ${high}, got ${given}`);
}

interface FileConfiguration extends Omit<ImagePolicyWebhookConfiguration, "client"> {
  readonly kubeConfigFile?: string;
}

const TYPE: StructSchema = {
  ...struct("imagePolicyWebhookConfig", {
    kubeConfigFile: string,
    allowTTL: int64,
    denyTTL: int64,
    retryBackoff: int64,
    defaultAllow: boolean,
  }),
  goType: "imagepolicy.imagePolicyWebhookConfig",
};
const DOCUMENT: StructSchema = {
  // A file without a kind may have the configuration of PodNodeSelector beside this one.
  ...struct("AdmissionConfig", { imagePolicy: TYPE, podNodeSelectorPluginConfig: anyJson }),
  goType: "imagepolicy.AdmissionConfig",
};

/**
 * The document has no kind and no version. Throws for a time beyond its bounds, in the plugin's words; for unknown fields, which
 * kube-apiserver passes over; and for a kubeconfig that cannot be used, with its file, entry and field.
 */
export async function readImagePolicyWebhookConfiguration(
  { value, duplicates }: ConfigurationDocument,
  loadConfig: (file: string) => Promise<ClientConfig> = (file) => configFromFile(file),
): Promise<ImagePolicyWebhookConfiguration> {
  const { object, strictErrors } = decodeObject<{ readonly imagePolicy?: FileConfiguration }>(value ?? {}, DOCUMENT, {
    mode: "Strict",
    duplicates,
  });
  if (strictErrors.length > 0) throw new Error(`strict decoding error: ${strictErrors.join(", ")}`);
  const { kubeConfigFile = "", ...rest } = object.imagePolicy ?? {};
  timesOf(rest);
  return { ...rest, client: await loadConfig(kubeConfigFile) };
}
