import { readFile } from "node:fs/promises";
import { inOrder } from "../../base/async/turns.js";
import { errorMessage } from "../../base/text/error-message.js";
import { allowedLabelFaults } from "../../component/apiserver-flags/metrics.js";

/** Reads a file with the allowed values of labels. */
export async function readAllowedLabels(
  file: string | undefined,
): Promise<Readonly<Record<string, readonly string[]>> | undefined> {
  if (file === undefined) return undefined;
  const fault = (reason: string): Error =>
    new Error(`metrics.allowListMappingManifest: Invalid value: ${JSON.stringify(file)}: ${reason}`);
  let entries: unknown;
  try {
    const { parseYaml } = await inOrder(import("../../machinery/text/yaml/read.js"));
    entries = parseYaml(await readFile(file, "utf8"));
  } catch (error) {
    throw fault(`failed to read allow list manifest: ${errorMessage(error)}`);
  }
  if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
    throw fault("failed to parse allow list manifest: it is no map of strings");
  }
  const { allowListMapping = entries } = entries as { readonly allowListMapping?: object };
  const allowed: Record<string, readonly string[]> = Object.create(null);
  for (const [key, values] of Object.entries(allowListMapping)) {
    if (typeof values !== "string") throw fault("failed to parse allow list manifest: it is no map of strings");
    allowed[key] = values.split(",");
  }
  const faults = allowedLabelFaults(allowed);
  if (faults.length > 0) throw fault(`invalid allow list mapping in manifest: [${faults.join(", ")}]`);
  return allowed;
}
