import { isUtf8 } from "node:buffer";
import { inSlices } from "../../../base/async/time-slice.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { readYaml, readYamlSteps, type YamlRead } from "../../../machinery/text/yaml/read.js";
import { notUtf8 } from "../../../machinery/text/yaml/not-utf8.js";
import { isLarge } from "./request-body.js";
import { YamlError } from "../../../machinery/text/yaml/yaml-error.js";

/**
 * Reads a body of one YAML document; `words` makes the text of the 400 for an invalid one. The server loads this module, with its
 * YAML parser, at the first YAML body.
 */
export async function readYamlBody(bytes: Uint8Array, words = (text: string): string => text): Promise<YamlRead> {
  try {
    if (!isUtf8(bytes)) throw notUtf8(bytes);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    return isLarge(bytes) ? await inSlices(readYamlSteps(text)) : readYaml(text);
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(words(error.message));
    throw error;
  }
}
