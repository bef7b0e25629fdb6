import { resourcePath } from "../../client/dynamic/resource-path.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { deletionLine } from "../../printers/deletion-line.js";
import { Helper, type DeleteOptions } from "../../resource/helper.js";

export interface CreatedObject {
  readonly object: KubeObject;
  readonly mapping: RestMapping;
}

export interface RemoveCreatedOptions {
  readonly client: RestClient;
  readonly propagationPolicy: DeleteOptions["propagationPolicy"];
  readonly quiet: boolean;
  readonly write: (text: string) => void;
}

/**
 * Deletes what the command has created, for --rm, also after a signal. The first object that cannot be deleted ends it, without an
 * error: how the session ended says more.
 */
export async function removeCreated(created: readonly CreatedObject[], options: RemoveCreatedOptions): Promise<void> {
  for (const { object, mapping } of created) {
    if (!(await remove(object, mapping, options))) return;
  }
}

async function remove(
  { metadata }: KubeObject,
  mapping: RestMapping,
  { client, propagationPolicy, quiet, write }: RemoveCreatedOptions,
): Promise<boolean> {
  const { namespace = "", name = "" } = metadata ?? {};
  const helper = new Helper(client, mapping);
  try {
    await helper.get(namespace, name);
    const body = encodeDeletion(propagationPolicy);
    await client.request({ method: "DELETE", path: resourcePath(mapping, namespace, name), body });
  } catch (error) {
    if (!isNotFound(error)) return false;
    write("No resources found\n");
    return true;
  }
  if (!quiet) write(deletionLine({ kind: mapping.kind, name, namespace }, "", false));
  return true;
}

/** As kubectl's typed encoder writes it, kind first. */
const encodeDeletion = (propagationPolicy: DeleteOptions["propagationPolicy"]): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy })}\n`);
