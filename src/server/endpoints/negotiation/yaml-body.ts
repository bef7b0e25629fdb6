import { badRequest } from "../../../machinery/errors/status-error.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { parseYaml } from "../../../machinery/yaml/read.js";
import { YamlError } from "../../../machinery/yaml/yaml-error.js";

/** A body of one YAML document; `prefix` begins what a 400 says. In a module of its own, so that a server that only sees JSON never loads a YAML parser. */
export function parseYamlBody(bytes: Uint8Array, prefix = ""): JsonValue {
  try {
    return parseYaml(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(prefix + error.message);
    throw error;
  }
}
