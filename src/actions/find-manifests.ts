import type { OpenApi } from "../client/openapi/openapi.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Builder, FilenameOptions, Result } from "../resource/builder.js";
import { type DocumentValidation, documentValidation } from "./validate-document.js";

/** The functions that a command passes for reading manifests; each is called only when it is needed. */
export interface ManifestReader {
  readonly namespace: () => Promise<{ readonly namespace: string; readonly enforced: boolean }>;
  readonly builder: () => Promise<Builder>;
  readonly openapi: () => Promise<OpenApi>;
  readonly restClient: () => Promise<RestClient>;
}

export interface ManifestSelection {
  readonly files: FilenameOptions;
  /** Instead of the files: what was read already. */
  readonly documents?: readonly { readonly source: string; readonly object: KubeObject }[] | undefined;
  /** "" takes everything. */
  readonly selector: string;
  readonly fieldValidation: DocumentValidation["directive"];
  readonly cannotWarn: () => void;
}

/** Finds the objects to send in files, directories, URLs and stdin: validated, with lists split, and in their namespace. */
export async function findManifests(reader: ManifestReader, selection: ManifestSelection): Promise<Result> {
  const { documents, files, selector, fieldValidation: directive, cannotWarn } = selection;
  const { namespace, enforced } = await reader.namespace();
  // What is wrong with the way to the server comes before what is wrong with the files.
  if (directive !== "Ignore") await reader.restClient();
  const builder = await reader.builder();
  builder
    .validate(documentValidation({ directive, openapi: reader.openapi, client: reader.restClient, cannotWarn }))
    .continueOnError()
    .namespaceParam(namespace)
    .defaultNamespace();
  if (documents === undefined) builder.filenames(enforced, files);
  else {
    for (const { source, object } of documents) builder.text(source, encodeJson(object));
    if (enforced) builder.requireNamespace();
  }
  return builder.labelSelector(selector).flatten().do();
}
