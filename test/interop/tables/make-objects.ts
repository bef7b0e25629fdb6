import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesClient } from "../../../src/client/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { parseYaml } from "../../../src/machinery/text/yaml/read.js";

/**
 * Makes the objects of the file NAME.yaml beside this one, in its order; those of namespaced kinds in the namespace NAME. A `status` is
 * written as a controller writes it. An object with a `deletionTimestamp` is deleted once the cluster is at rest, and stays where a
 * finalizer or its node holds it.
 * `stages` become a pod's annotation.
 */
export async function makeObjects(client: KubernetesClient, name: string, atRest: () => Promise<void>): Promise<void> {
  const documents = readFileSync(join(import.meta.dirname, `${name}.yaml`), "utf8").split(/^---$/m);
  for (const text of documents) {
    const document = parseYaml(text) as KubeObject | null;
    if (document !== null) await make(client, document, name, atRest);
  }
}

async function make(
  client: KubernetesClient,
  document: KubeObject,
  namespace: string,
  atRest: () => Promise<void>,
): Promise<void> {
  const { status, stages, ...written } = document;
  const { deletionTimestamp, ...given } = document.metadata ?? {};
  const annotations = stages === undefined ? given.annotations : { "kubets.dev/stages": JSON.stringify(stages) };
  const metadata = { ...given, ...(annotations && { annotations }) };
  const { name = "" } = metadata;
  const objects = await client.resourceFor<KubeObject>({ ...written, metadata: { ...metadata, namespace } });
  try {
    await objects.create({ ...written, metadata });
    if (status !== undefined) await objects.patchStatus(name, { status }, { type: "merge" });
    if (deletionTimestamp === undefined) return;
    await atRest();
    await objects.delete(name);
  } catch (error) {
    throw new Error(`${document.kind} ${name} of ${namespace}.yaml: ${String(error)}`, { cause: error });
  }
}
