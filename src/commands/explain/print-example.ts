import { exampleOf } from "../../api/examples/index.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { unpainted } from "../../printers/look.js";
import type { ExplainOptions } from "./explain.js";
import { findDocument } from "./find-document.js";
import { kindSchema } from "./plaintext.js";
import { readRequest } from "./resource-request.js";
import { SchemaDocument } from "./schema-document.js";
import { skeletonOf } from "./skeleton.js";

/**
 * Prints a manifest of a kind: for Kubernetes' own kinds one that applies as it is, for others what their schema requires. Throws an
 * error for kinds that no manifest makes.
 */
export async function printExample(options: ExplainOptions): Promise<void> {
  const { request, mapper, out, look } = options;
  const { yaml } = look.paint ?? unpainted;
  const { resource } = await readRequest(request, mapper);
  const kind = await mapper.kindFor(resource);
  const example = exampleOf(kind.group, kind.kind);
  if (example !== undefined) return out(yaml(example));
  if (!kind.group.includes(".") || kind.group.endsWith(".k8s.io")) {
    throw new Error(`there is no example of ${kind.kind}: no manifest makes one that is kept`);
  }
  const root = await findDocument(resource, await options.documents());
  const schema = kindSchema(root, resource);
  if (schema === undefined) throw new Error(`the server does not publish a schema of ${kind.kind}`);
  out(yaml(emitYaml(skeletonOf(kind, schema, new SchemaDocument(root)))));
}
