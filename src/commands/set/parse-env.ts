import { append } from "../../base/collections/append.js";
import { goQuote } from "../../base/text/go-quote.js";
import { strictEnvVarNameErrors } from "../../machinery/validation/names.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { object as fieldsOf, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** A variable of a container: with a value, or with a reference to one. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

export interface EnvChanges {
  readonly set: readonly EnvVar[];
  readonly remove: readonly string[];
  /** "-" was among them. */
  readonly readsStdin: boolean;
}

/** Splits the operands: resources first, then `KEY=VALUE` and `KEY-`. Undefined when they are in another order. */
export function splitResourcesAndEnv(
  args: readonly string[],
): { readonly resources: readonly string[]; readonly env: readonly string[] } | undefined {
  const isEnv = (arg: string): boolean => arg.indexOf("=", 1) > 0 || arg.endsWith("-");
  const first = args.findIndex(isEnv);
  if (first < 0) return { resources: args, env: [] };
  return args.slice(first).every(isEnv) ? { resources: args.slice(0, first), env: args.slice(first) } : undefined;
}

/** Parses `KEY=VALUE`, `KEY-` and `-`, which stands for the lines of stdin. */
export async function parseEnv(specs: readonly string[], stdin: () => Promise<string>): Promise<EnvChanges> {
  const set: EnvVar[] = [];
  const named = new Set<string>();
  const remove: string[] = [];
  let readsStdin = false;
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    if (spec === "-") {
      append(set, readLines(await stdin()));
      readsStdin = true;
    } else if (equals >= 0) {
      const name = spec.slice(0, equals);
      const faults = strictEnvVarNameErrors(name);
      if (faults.length > 0) throw new Error(`${goQuote(name)} is not a valid key name: ${faults.join(";")}`);
      named.add(name);
      set.push({ name, value: spec.slice(equals + 1) });
    } else if (spec.endsWith("-")) {
      remove.push(spec.slice(0, -1));
    } else {
      throw new Error(`unknown environment variable: ${spec}`);
    }
  }
  if (remove.some((name) => named.has(name))) {
    throw new Error("can not both modify and remove the same environment variable in the same command");
  }
  return { set, remove, readsStdin };
}

/** `KEY=VALUE` a line; what follows a `#` is a comment, and lines without a `=` are passed over. */
function readLines(text: string): readonly EnvVar[] {
  return text.split("\n").flatMap((line) => {
    const spec = line.replace(/\r$/, "").split("#", 1)[0] ?? "";
    const equals = spec.indexOf("=");
    return equals < 0 ? [] : [{ name: spec.slice(0, equals), value: spec.slice(equals + 1) }];
  });
}

/** Applies the changes to environment variables: a new value replaces the variable of its name in place, others are appended. */
export function changeEnv(
  existing: readonly EnvVar[],
  { set, remove }: Pick<EnvChanges, "set" | "remove">,
): readonly EnvVar[] {
  const covered = new Set(remove);
  const changed: EnvVar[] = [];
  for (const held of existing) {
    if (covered.has(held.name)) continue;
    const newer = set.find(({ name }) => name === held.name);
    if (newer !== undefined) covered.add(held.name);
    changed.push(newer ?? held);
  }
  for (const added of set) {
    if (covered.has(added.name)) continue;
    covered.add(added.name);
    changed.push(added);
  }
  return changed;
}

/** Makes one variable per key of a ConfigMap or Secret, which refers to the key. Throws for another kind. */
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
