import { absent, isFields, type ReadonlyFields } from "../../machinery/meta/access.js";
import { INTERNAL_TYPES } from "./internal-types.js";

interface Field {
  readonly go: string;
  readonly wire: string;
  readonly kind: string;
}

const parsed = new Map<string, readonly Field[]>();

/**
 * A value as kube-apiserver prints it in an error: the JSON of its internal type, with Go's names, every field, and null for
 * what is not there.
 */
export function goJson(type: string, value: ReadonlyFields): ReadonlyFields {
  const shown: Record<string, unknown> = {};
  const from = type === "PodSpec" ? withHostFields(value) : value;
  for (const { go, wire, kind } of fieldsOf(type)) {
    if (kind === "@") Object.assign(shown, isFields(from.metadata) ? from.metadata : {});
    else shown[go] = shownValue(from[wire], kind, go);
  }
  return shown;
}

function shownValue(value: unknown, kind: string, name: string): unknown {
  if (kind === "s") return value ?? "";
  if (kind === "b") return value ?? false;
  if (kind === "n") return value ?? 0;
  if (kind === "m") return value ?? (name === "Divisor" ? "0" : 0);
  if (kind === "*") return value ?? null;
  const type = kind.replace("*", "");
  if (Array.isArray(value)) return value.map((item) => goJson(type, isFields(item) ? item : {}));
  if (absent(value) && kind.startsWith("*")) return null;
  return goJson(type, isFields(value) ? value : {});
}

/** Inside, what a pod shares with its host belongs to its security context. */
function withHostFields(spec: ReadonlyFields): ReadonlyFields {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const context = isFields(spec.securityContext) ? spec.securityContext : {};
  return { ...spec, securityContext: { ...context, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } };
}

function fieldsOf(type: string): readonly Field[] {
  const known = parsed.get(type);
  if (known !== undefined) return known;
  const fields = (INTERNAL_TYPES[type] ?? "").split(" ").map((entry): Field => {
    if (entry === "@") return { go: "", wire: "", kind: "@" };
    const [names = "", kind = ""] = entry.split(":");
    const [go = "", wire = go.charAt(0).toLowerCase() + go.slice(1)] = names.split("=");
    return { go, wire, kind };
  });
  parsed.set(type, fields);
  return fields;
}
