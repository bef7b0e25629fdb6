import { compareKeys } from "../../base/collections/key-order.js";
import { object as fieldsOf, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { EnvVar } from "./parse-env.js";

/** One variable per key of a ConfigMap or Secret, which refers to it. Throws for another kind. */
export function envFrom(source: KubeObject, keys: readonly string[], warn: (text: string) => void): readonly EnvVar[] {
  const field = referenceField(source);
  if (field === undefined) throw new Error("unsupported resource specified in --from");
  const name = text(source.metadata?.name);
  return Object.keys(fieldsOf(source["data"]))
    .filter((key) => keys.length === 0 || keys.includes(key))
    .sort(compareKeys)
    .map((key) => ({ name: variableName(key, warn), valueFrom: { [field]: { name, key } } }));
}

function referenceField({ kind, apiVersion }: KubeObject): string | undefined {
  if (apiVersion !== "v1") return undefined;
  if (kind === "Secret") return "secretKeyRef";
  return kind === "ConfigMap" ? "configMapKeyRef" : undefined;
}

function variableName(key: string, warn: (text: string) => void): string {
  const name = key.replace(/[^a-zA-Z0-9_]/g, "_").toUpperCase();
  if (name !== key) warn(`key ${key} transferred to ${name}`);
  return name;
}
