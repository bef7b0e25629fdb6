import type { ClientConfig } from "../../../../client/config/client-config.js";
import { configFromFile } from "../../../../client/config/load-config.js";
import type { ConfigurationDocument } from "../../../../machinery/wire/configuration-document.js";
import { decodeObject } from "../../../../machinery/wire/strict-decode.js";
import { anyJson, boolean, int64, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import { type ImagePolicyWebhookConfiguration, timesOf } from "./configuration.js";

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
