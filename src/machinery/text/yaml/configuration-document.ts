import { errorMessage } from "../../../base/text/error-message.js";
import type { ConfigurationDocument } from "../../wire/configuration-document.js";
import { type DecodedJson, decodeJson } from "../../wire/json/json-decoder.js";
import { isJsonObject, type JsonValue } from "../../meta/json.js";
import { readYaml } from "./read.js";
import { YamlError } from "./yaml-error.js";

/** Parses a configuration file: as JSON if it begins with "{", else as YAML. Throws an Error in apimachinery's words. */
export function readConfigurationDocument(text: string): ConfigurationDocument {
  if (text.trimStart().startsWith("{")) return { text, ...readJson(text), repeated: [] };
  try {
    const { value, repeated } = readYaml(text);
    return { text, value: inKeyOrder(value), repeated };
  } catch (error) {
    throw error instanceof YamlError ? new Error(error.message.replace(/^error converting YAML to JSON: /, "")) : error;
  }
}

function readJson(text: string): DecodedJson {
  try {
    return decodeJson(text);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`couldn't get version/kind; json parse error: ${reason}`, { cause: error });
  }
}

/** YAML is made JSON first, whose keys are sorted: so are the complaints about them. */
function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, JsonValue] => [key, inKeyOrder(held)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
