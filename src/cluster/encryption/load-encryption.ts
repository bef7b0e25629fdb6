import { readBytes } from "../../base/files/read-file.js";
import type { Random } from "../../base/numbers/random.js";
import { errorMessage } from "../../base/text/error-message.js";
import { parseGoDuration } from "../../base/text/go-literals.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import type { EncryptionConfiguration } from "../../server/storage/encryption/configuration.js";
import type { KeyTransformers } from "../../server/storage/encryption/encrypted-kv.js";
import { openTransformers, type ResourceTransformers } from "../../server/storage/encryption/open-transformers.js";
import { decodeEncryptionConfiguration, encryptionErrors } from "./encryption-configuration.js";
import { keyTransformers } from "./key-transformers.js";

export interface EncryptionOptions {
  /** The path of an EncryptionConfiguration, or what it holds. */
  readonly encryption: string | EncryptionConfiguration;
  /** Whether a file is read again when it changes. */
  readonly reloads: boolean;
  /** What every key in the storage begins with: "/registry". */
  readonly root: string;
  /** The feature gate KMSv1. */
  readonly kmsV1: boolean;
}

export interface EncryptionSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Must not be reproducible: keys and nonces are made of it. */
  readonly random: Random;
  /** Receives what the server goes on in spite of. */
  readonly warn: (text: string) => void;
  /** Receives a file that was not taken. */
  readonly report: (error: unknown) => void;
}

/** A configuration in use. */
export interface LoadedEncryption {
  readonly transformers: ResourceTransformers;
  readonly keys: KeyTransformers;
  /** How long a plugin that is no longer used may still be asked. */
  readonly graceMilliseconds: number;
}

/** Makes the transformers of a configuration; `text` is the content of its file. Rejects in kube-apiserver's words, with the file. */
export async function loadEncryption(
  text: string | undefined,
  { encryption, reloads, kmsV1, root }: EncryptionOptions,
  { clock, timers, random, warn }: Omit<EncryptionSurroundings, "report">,
): Promise<LoadedEncryption> {
  const place = typeof encryption === "string" ? ` (in ${goQuote(encryption)})` : "";
  const configuration = typeof encryption === "string" ? await decode(text ?? "", encryption) : encryption;
  const faults = encryptionErrors(configuration, reloads);
  if (faults.length > 0) throw new Error(`error while parsing file: ${formatFieldErrors(faults)}${place}`);
  try {
    const transformers = await openTransformers(configuration, { clock, timers, random, kmsV1, warn });
    const keys = keyTransformers(transformers, root);
    return { transformers, keys, graceMilliseconds: graceOf(configuration) };
  } catch (error) {
    throw new Error(`error while building transformers: ${errorMessage(error)}${place}`, { cause: error });
  }
}

/** Twice the time that one call of each plugin may take. */
function graceOf({ resources }: EncryptionConfiguration): number {
  let sum = 0;
  for (const { providers } of resources) {
    for (const { kms } of providers) {
      if (kms) sum += (parseGoDuration(kms.timeout ?? "3s") ?? 0) * (kms.apiVersion === "v2" ? 1 : 2);
    }
  }
  return 2 * sum;
}

/** Rejects in kube-apiserver's words. */
export async function readConfigurationText(file: string): Promise<string> {
  const failed = (what: string): Error => new Error(`error while parsing file: error while loading file: ${what}`);
  const bytes = await readBytes(file).catch((error: unknown) => {
    throw failed(`error reading encryption provider configuration file ${goQuote(file)}: ${errorMessage(error)}`);
  });
  if (bytes.length === 0) throw failed(`encryption provider configuration file ${goQuote(file)} is empty`);
  return bytes.toString("utf8");
}

async function decode(text: string, file: string): Promise<EncryptionConfiguration> {
  try {
    const { readConfigurationDocument } = await import("../../machinery/text/yaml/configuration-document.js");
    return decodeEncryptionConfiguration(readConfigurationDocument(text));
  } catch (error) {
    throw new Error(
      `error while parsing file: error decoding encryption provider configuration file ${goQuote(file)}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}
