import type { Clock } from "../../../base/time/clock.js";
import type { Random } from "../../../base/numbers/random.js";
import { parseGoDuration } from "../../../base/text/go-literals.js";
import { goQuote } from "../../../base/text/go-quote.js";
import type { Timers } from "../../../base/time/timers.js";
import { formatGroupResource, type GroupResource } from "../../../machinery/errors/status-error.js";
import { aesCbc, aesGcm } from "./aes.js";
import {
  type EncryptionConfiguration,
  type EncryptionKey,
  type EncryptionProvider,
  type KmsConfiguration,
  parseGroupResource,
} from "./configuration.js";
import type { Plugin } from "./kms/plugin-channel.js";
import { identity, prefixed, type PrefixTransformer, PrefixTransformers, type Transformer } from "./transformer.js";

export interface TransformerParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Keys, vectors and nonces are made of it: it must not be reproducible. */
  readonly random: Random;
  /** The feature gate KMSv1. */
  readonly kmsV1: boolean;
  /** Receives what the server goes on in spite of. */
  readonly warn: (text: string) => void;
}

/** The transformers of a configuration by resource. */
export interface ResourceTransformers {
  /** Undefined for a resource whose objects are stored as they are. */
  of(resource: GroupResource): Transformer | undefined;
  /** The entries of the configuration, "*" for any, in its order; those that name a resource twice once. */
  readonly resources: readonly GroupResource[];
  readonly plugins: readonly Plugin[];
  /** Whether a plugin of KMS v1 is among them. */
  readonly usesKmsV1: boolean;
  close(): void;
}

/**
 * Opens the providers of a configuration that {@link encryptionErrors} accepts. Rejects in kube-apiserver's words, with everything
 * closed again.
 */
export async function openTransformers(
  { resources }: EncryptionConfiguration,
  parts: TransformerParts,
): Promise<ResourceTransformers> {
  const plugins: Plugin[] = [];
  const byResource = new Map<string, { readonly resource: GroupResource; readonly list: PrefixTransformer[] }>();
  let usesKmsV1 = false;
  try {
    for (const entry of resources) {
      const transformers: PrefixTransformer[] = [];
      for (const provider of entry.providers) transformers.push(await openProvider(provider, plugins, parts));
      usesKmsV1 ||= entry.providers.some(({ kms }) => kms !== undefined && (kms.apiVersion || "v1") === "v1");
      for (const text of entry.resources) add(byResource, parseGroupResource(text), transformers);
    }
  } catch (error) {
    for (const plugin of plugins) plugin.close();
    throw error;
  }
  const made = new Map<string, Transformer>();
  for (const [name, { list }] of byResource) made.set(name, new PrefixTransformers("no matching prefix found", list));
  return {
    of: ({ group, resource }) => made.get(`${resource}.${group}`) ?? made.get(`*.${group}`) ?? made.get("*.*"),
    resources: [...byResource.values()].map(({ resource }) => resource),
    plugins,
    usesKmsV1,
    close() {
      for (const plugin of plugins) plugin.close();
    },
  };
}

/** An entry that an earlier one of the whole group covers would have no effect. */
function add(
  byResource: Map<string, { readonly resource: GroupResource; readonly list: PrefixTransformer[] }>,
  resource: GroupResource,
  transformers: readonly PrefixTransformer[],
): void {
  for (const mask of [
    { group: resource.group, resource: "*" },
    { group: "*", resource: "*" },
  ]) {
    if (!byResource.has(`${mask.resource}.${mask.group}`)) continue;
    throw new Error(`resource ${goQuote(shown(resource))} is masked by earlier rule ${goQuote(shown(mask))}`);
  }
  const name = `${resource.resource}.${resource.group}`;
  const known = byResource.get(name);
  if (known === undefined) byResource.set(name, { resource, list: [...transformers] });
  else known.list.push(...transformers);
}

const shown = (resource: GroupResource): string =>
  resource.group === "" && resource.resource === "*" ? "*." : formatGroupResource(resource);

async function openProvider(
  { aesgcm, aescbc, secretbox, kms }: EncryptionProvider,
  plugins: Plugin[],
  parts: TransformerParts,
): Promise<PrefixTransformer> {
  const { random } = parts;
  if (aesgcm) return ofKeys("k8s:enc:aesgcm:v1:", "AES", aesgcm.keys, (key) => aesGcm(key, random));
  if (aescbc) return ofKeys("k8s:enc:aescbc:v1:", "AES", aescbc.keys, (key) => aesCbc(key, random));
  if (secretbox) {
    const { secretbox: box } = await import("./secretbox.js");
    return ofKeys("k8s:enc:secretbox:v1:", "Secretbox", secretbox.keys, (key) => box(key, random));
  }
  if (!kms) return prefixed("", identity);
  const plugin = await openPlugin(kms, parts);
  plugins.push(plugin);
  return prefixed(`k8s:enc:kms:${kms.apiVersion || "v1"}:${kms.name}:`, plugin.transformer);
}

const ofKeys = (
  prefix: string,
  provider: string,
  keys: readonly EncryptionKey[],
  make: (key: Uint8Array) => Transformer,
): PrefixTransformer =>
  prefixed(
    prefix,
    new PrefixTransformers(
      `no matching key was found for the provided ${provider} transformer`,
      keys.map(({ name, secret }) => prefixed(`${name}:`, make(Buffer.from(secret, "base64")))),
    ),
  );

/** kube-apiserver's default of a plugin's timeout, in milliseconds. */
const TIMEOUT = 3000;
const KMS_V1_WORDS = "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.";

async function openPlugin(
  { name, endpoint, apiVersion, timeout, cachesize = 1000 }: KmsConfiguration,
  { kmsV1, warn, ...parts }: TransformerParts,
): Promise<Plugin> {
  const isV1 = (apiVersion || "v1") === "v1";
  if (isV1 && !kmsV1) {
    throw new Error(`${KMS_V1_WORDS}  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.`);
  }
  const { PluginChannel } = await import("./kms/plugin-channel.js");
  const channel = new PluginChannel(endpoint, timeout === undefined ? TIMEOUT : (parseGoDuration(timeout) ?? TIMEOUT));
  if (isV1) {
    warn(KMS_V1_WORDS);
    const { PluginV1 } = await import("./kms/plugin-v1.js");
    return new PluginV1(name, { channel, cacheSize: cachesize, clock: parts.clock, random: parts.random });
  }
  const { PluginV2 } = await import("./kms/plugin-v2.js");
  return PluginV2.open(name, { channel, ...parts });
}
