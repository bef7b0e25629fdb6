import { dictionary } from "../base/collections/dictionary.js";
import { createHash } from "node:crypto";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";

/** The fields of a ConfigMap from which its hash is computed. Binary data is base64 text. */
export interface HashedConfigMap {
  readonly name: string;
  /** Null where the object has none: Go hashes a nil map otherwise than an empty one. */
  readonly data: Readonly<Record<string, string>> | null;
  readonly binaryData?: Readonly<Record<string, string>> | undefined;
  readonly immutable?: boolean | undefined;
}

/** The fields of a Secret from which its hash is computed. Data is base64 text. */
export interface HashedSecret {
  readonly name: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string>> | null;
  readonly immutable?: boolean | undefined;
}

/** The ten letters that kubectl's --append-hash puts behind a name: they change when the content does. */
export function configMapHash({ name, data, binaryData, immutable }: HashedConfigMap): string {
  const binary = Object.keys(binaryData ?? {}).length > 0 ? binaryData : undefined;
  return hashOf({ kind: "ConfigMap", name, data, binaryData: binary, immutable });
}

/** The hash of a Secret; compare {@link configMapHash}. */
export function secretHash({ name, type, data, immutable }: HashedSecret): string {
  return hashOf({ kind: "Secret", type, name, data, immutable });
}

/** Digits that could make words of a name, and what stands for them. */
const HARMLESS: Readonly<Record<string, string>> = dictionary({
  "0": "g",
  "1": "h",
  "3": "k",
  a: "m",
  e: "t",
});

/** The hash of any content, ten letters; its keys are sorted before. */
export function hashOf(content: object): string {
  const hex = createHash("sha256")
    .update(encodeJson(content, { sortKeys: true }))
    .digest("hex");
  return hex.slice(0, 10).replace(/[013ae]/g, (digit) => HARMLESS[digit] ?? digit);
}
