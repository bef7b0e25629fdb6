import type { JsonValue } from "../../machinery/meta/json.js";
import { resolvePlain } from "../../machinery/text/yaml/scalars.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

/** What a scalar is to goyaml v3, which kustomize reads with: YAML 1.2's words for booleans, and dates that are times. */
export interface Resolved {
  readonly tag: string;
  readonly value: JsonValue;
}

export const shortTagOf = (tag: string): string => tag.replace(/^tag:yaml\.org,2002:/, "!!");

const YAML_1_1_ONLY = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$/;

/** Reads a plain scalar. */
export function resolve(text: string): Resolved {
  if (text === "<<") return { tag: "!!merge", value: text };
  if (YAML_1_1_ONLY.test(text)) return { tag: "!!str", value: text };
  const { tag, value } = resolvePlain(text);
  if (tag === "timestamp") return { tag: "!!timestamp", value: timeOf(text) };
  if (tag === "int" && typeof value === "number" && !Number.isSafeInteger(value)) {
    return { tag: "!!int", value: BigInt(text.replaceAll("_", "").replace(/^\+/, "")) };
  }
  return { tag: `!!${tag}`, value };
}

/** Reads a scalar whose tag is written out. */
export function resolveTagged(tag: string, text: string): Resolved {
  if (tag === "!!str" || tag === "!!binary" || !tag.startsWith("!!")) return { tag, value: text };
  const found = resolve(text);
  if (found.tag === tag) return found;
  if (tag === "!!float" && found.tag === "!!int") return { tag, value: found.value };
  throw new Error(`yaml: cannot decode ${found.tag} \`${text}\` as a ${tag}`);
}

/** Whether goyaml v2 takes a scalar for something else than text. */
export function isYaml11NonString(text: string): boolean {
  if (text === "") return false;
  const { tag } = resolvePlain(text);
  return tag !== "str" && tag !== "timestamp";
}

/** goyaml v3 quotes what older readers take for a number or a boolean. */
export const needsQuotes = (text: string): boolean =>
  resolve(text).tag !== "!!str" ||
  YAML_1_1_ONLY.test(text) ||
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);

/** A time as Go's JSON writes it. */
function timeOf(text: string): string {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+]\d{2}:\d{2})?)?$/.exec(text);
  if (match === null) return text;
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const two = (digits: string): string => digits.padStart(2, "0");
  const digits = withoutTrailing(fraction.slice(0, 9), "0");
  const offset = /^[-+]00:00$/.test(zone) ? "Z" : zone;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${digits === "" ? "" : `.${digits}`}${offset}`;
}
