import { parseYaml } from "../../machinery/text/yaml/read.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { compactJson } from "./embedded-json.js";

/**
 * The JSON of a patch for its event: as it was sent, or made of an apply's YAML. Undefined for a body that is neither, because an event that holds it
 * could not be read.
 */
export function patchJson(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body);
  try {
    JSON.parse(text);
    return compactJson(text);
  } catch {
    return yamlJson(text);
  }
}

function yamlJson(text: string): string | undefined {
  try {
    return encodeJson(parseYaml(text), { sortKeys: true });
  } catch {
    return undefined;
  }
}
