import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { isEncrypted } from "../../server/storage/encryption/transformer.js";
import type { StoredEncryption } from "../encryption/stored-encryption.js";
import { StoredError } from "./stored-error.js";

/** One value is decrypted at once: a KMS need not be asked again. */
const none: Timers = { start: () => () => {} };

/** Decrypts a value; a newline at its end, which etcdctl prints, is ignored. Throws a {@link StoredError}. */
export async function decryptStored(
  value: Uint8Array,
  key: string,
  encryption: Omit<StoredEncryption, "timers">,
): Promise<Uint8Array> {
  if (!isEncrypted(value)) return value;
  const { decryptValue } = await import("../encryption/stored-encryption.js");
  const decrypt = (bytes: Uint8Array): Promise<Uint8Array> => decryptValue(bytes, key, { ...encryption, timers: none });
  try {
    return await decrypt(value);
  } catch (error) {
    const isPrinted = value.at(-1) === 0x0a;
    const again = isPrinted ? await decrypt(value.subarray(0, -1)).catch(() => undefined) : undefined;
    if (again !== undefined) return again;
    const hint = key === "" ? "; the key that it was stored under may be missing: give it by --key" : "";
    throw new StoredError(`the value cannot be decrypted: ${errorMessage(error)}${hint}`);
  }
}
