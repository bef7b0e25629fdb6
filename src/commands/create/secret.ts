import { setKey } from "../../machinery/wire/json/own-keys.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { secretHash } from "../../kinds/content-hash.js";
import { configMapKeyErrors } from "../../machinery/validation/names.js";
import { createGenerated, type GeneratedOptions, namespacedMetadata } from "./generated.js";
import type { AddKey } from "./key-sources.js";

// What the three kinds of secrets have in common.

export const secretHashFlag: FlagSpec = {
  name: "append-hash",
  type: "bool",
  usage: "Append a hash of the content to the name",
};

export interface CreateSecretOptions extends GeneratedOptions {
  readonly appendHash: boolean;
}

/** `fill` gives the secret its keys; `type` "" leaves it to the server. */
export async function createSecret(
  type: string,
  options: CreateSecretOptions,
  fill: (add: AddKey) => void,
): Promise<void> {
  const { name, appendHash } = options;
  const data: Record<string, string> = {};
  fill((key, value) => {
    requireNewKey(key, data);
    setKey(data, key, Buffer.from(value).toString("base64"));
  });
  const suffix = appendHash ? `-${secretHash({ name, type, data })}` : "";
  const metadata = namespacedMetadata({ ...options, name: `${name}${suffix}` });
  await createGenerated({ kind: "Secret", apiVersion: "v1", metadata, type, data }, options, "failed to create secret");
}

function requireNewKey(key: string, taken: object): void {
  const faults = configMapKeyErrors(key);
  if (faults.length > 0) throw new Error(`${goQuote(key)} is not valid key name for a Secret ${faults.join(";")}`);
  if (Object.hasOwn(taken, key)) throw new Error(`cannot add key ${key}, another key by that name already exists`);
}
