import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "node:path/posix";
import type { Release } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import { PathError } from "../../base/files/path-error.js";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import { isFields, list, object, objects, text } from "../../machinery/meta/access.js";
import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { readConfigurationDocument } from "../../machinery/text/yaml/configuration-document.js";
import { splitYaml } from "../../machinery/text/yaml/documents.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { ConfigurationDocument } from "../../machinery/wire/configuration-document.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { ManifestPlugin } from "../../server/admission/configuration/manifest-folder.js";
import { validateMetadata } from "../../server/registry/metadata.js";
import { checkManifestName, MANIFEST_KINDS, type ManifestKind } from "./manifest-kinds.js";

/** The objects of a folder, by the plurals of their kinds, sorted by name. */
export type LoadedManifests = ReadonlyMap<string, readonly KubeObject[]>;

export interface ManifestFile {
  readonly path: string;
  readonly text: string;
}

const EXTENSIONS: ReadonlySet<string> = new Set([".yaml", ".yml", ".json"]);

/** Reads the YAML and JSON files of a folder, without subfolders, in the order of their names. Rejects in kube-apiserver's words. */
export async function readManifestFiles(folder: string): Promise<readonly ManifestFile[]> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const reason = errorMessage(new PathError("open", folder, error));
    throw new Error(`failed to read manifest directory ${goQuote(folder)}: ${reason}`, { cause: error });
  }
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const files: ManifestFile[] = [];
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (!EXTENSIONS.has(parse(name).ext.toLowerCase())) continue;
    const path = join(folder, name);
    try {
      files.push({ path, text: await readText(path) });
    } catch (error) {
      // One that went after the folder was read is no manifest any more.
      if (await isGone(path)) continue;
      throw new Error(`failed to read file ${goQuote(path)}: ${errorMessage(error)}`, { cause: error });
    }
  }
  return files;
}

const isGone = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );

/**
 * Decodes, defaults and validates the files of a plugin's folder. Throws an Error in kube-apiserver's words for the first fault:
 * then the whole folder is rejected. `now` is milliseconds since the epoch.
 */
export function loadManifests(
  plugin: ManifestPlugin,
  files: readonly ManifestFile[],
  release: Release,
  now: number,
): LoadedManifests {
  const loader = new Loader(plugin, release, now);
  for (const { path, text: all } of files) {
    try {
      for (const document of documentsOf(all)) loader.add(document, path);
    } catch (error) {
      throw new Error(`error loading ${path}: ${errorMessage(error)}`, { cause: error });
    }
  }
  return loader.loaded();
}

function* documentsOf(all: string): Generator<ConfigurationDocument> {
  for (const chunk of splitYaml(all)) {
    if (chunk.error !== undefined) throw new Error(chunk.error);
    const shown = chunk.text.startsWith("---") ? chunk.text.slice(chunk.text.indexOf("\n") + 1) : chunk.text;
    if (shown.trim() !== "") yield readConfigurationDocument(shown.trim());
  }
}

class Loader {
  readonly #kinds: readonly ManifestKind[];
  readonly #found = new Map<string, KubeObject[]>();
  readonly #seen = new Map<string, Map<string, string>>();

  constructor(
    private readonly plugin: ManifestPlugin,
    private readonly release: Release,
    private readonly now: number,
  ) {
    this.#kinds = MANIFEST_KINDS[plugin].kinds;
    for (const { resource } of this.#kinds) {
      this.#found.set(resource, []);
      this.#seen.set(resource, new Map());
    }
  }

  /** Adds what a document holds: an object, a list of objects of one kind, or a list of any. */
  add(document: ConfigurationDocument, file: string): void {
    const { value, text: shown, repeated } = document;
    if (repeated.length > 0)
      throw new Error(`strict decoding error: yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`);
    const stated = object(value);
    const [kind, apiVersion] = [text(stated["kind"]), text(stated["apiVersion"])];
    if (kind === "") throw new Error(`Object 'Kind' is missing in '${shown}'`);
    if (apiVersion === "") throw new Error(`Object 'apiVersion' is missing in '${shown}'`);
    if (kind === "List" && apiVersion === "v1") {
      for (const item of list(stated["items"])) this.#addItem(item, file);
      return;
    }
    const { group, version } = parseGroupVersion(apiVersion);
    const single = kind.endsWith("List") ? kind.slice(0, -"List".length) : kind;
    const gvk = { group, version, kind: single };
    if (group !== "admissionregistration.k8s.io" || !publishedScheme(this.release).isRegistered(gvk)) {
      const [quoted, place] = [goQuote(kind), goQuote(MANIFEST_KINDS[this.plugin].scheme)];
      throw new Error(
        `no kind ${quoted} is registered for version ${goQuote(formatGroupVersion(gvk))} in scheme ${place}`,
      );
    }
    const known = version === "v1" ? this.#kinds.find((one) => one.kind === single) : undefined;
    if (known === undefined) throw new Error(`unsupported resource type *${version}.${kind}`);
    const members = kind === single ? [stated] : objects(stated["items"]);
    const accepted = members.map((one) => this.#accept(known, { ...one, kind: single, apiVersion }, document));
    for (const one of accepted) this.#keep(known, one, file);
  }

  #addItem(item: unknown, file: string): void {
    const shown = JSON.stringify(item);
    const { kind, apiVersion } = object(item);
    if (text(kind) === "") throw new Error(`failed to decode list item: Object 'Kind' is missing in '${shown}'`);
    if (text(apiVersion) === "") {
      throw new Error(`failed to decode list item: Object 'apiVersion' is missing in '${shown}'`);
    }
    if (isFields(item)) this.add({ text: shown, value: item as ConfigurationDocument["value"], repeated: [] }, file);
  }

  /** The object as the API would store it. */
  #accept(
    { kind, validate }: ManifestKind,
    value: object,
    { duplicates }: Pick<ConfigurationDocument, "duplicates">,
  ): KubeObject {
    const versioned = publishedScheme(this.release).kind({
      group: "admissionregistration.k8s.io",
      version: "v1",
      kind,
    });
    const { object: draft, strictErrors } = decodeObject<KubeObject>(value, versioned.schema, {
      mode: "Strict",
      duplicates,
    });
    if (strictErrors.length > 0) throw new Error(`strict decoding error: ${strictErrors.join(", ")}`);
    versioned.applyDefaults(draft, this.now);
    const problems = [...validateMetadata(draft, false, dns1123SubdomainErrors), ...validate(draft)];
    if (problems.length > 0) {
      throw new Error(`${kind} ${goQuote(draft.metadata?.name ?? "")}: ${formatFieldErrors(problems)}`);
    }
    return versioned.toHub(draft);
  }

  #keep({ resource, check }: ManifestKind, one: KubeObject, file: string): void {
    const name = one.metadata?.name ?? "";
    checkManifestName(name, file, this.#seen.get(resource) ?? new Map());
    check(one, name, file);
    this.#found.get(resource)?.push(one);
  }

  loaded(): LoadedManifests {
    const [policies, bindings] = this.#kinds.map(({ resource }) => this.#found.get(resource) ?? []);
    const names = new Set(policies?.map(({ metadata }) => metadata?.name));
    for (const { metadata, spec } of bindings ?? []) {
      const wanted = text(object(spec)["policyName"]);
      if (names.has(wanted)) continue;
      const [quoted, policy] = [goQuote(metadata?.name ?? ""), goQuote(wanted)];
      throw new Error(`binding ${quoted} references policy ${policy} which does not exist in the manifest directory`);
    }
    const byName = (a: KubeObject, b: KubeObject): number =>
      (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;
    return new Map([...this.#found].map(([resource, all]) => [resource, all.toSorted(byName)]));
  }
}
