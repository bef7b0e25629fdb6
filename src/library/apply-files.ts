import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { waitForFoundations } from "../actions/apply/apply-stages.js";
import { withSource } from "../actions/source-error.js";
import { awaitedPause } from "../actions/surroundings.js";
import { errorMessage } from "../base/text/error-message.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { WriteOptions } from "../client/dynamic/resource-client.js";
import type { Stored } from "../client/dynamic/stored.js";
import { applyPlace, FOUNDATIONS, kindKey } from "../polymorphic-helpers/apply-order.js";
import { type GroupKind, parseGroupVersion } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { createBuilder } from "../resource/create-builder.js";
import { type Info, refresh } from "../resource/info.js";
import { infoOf } from "../resource/info-of.js";

export interface ApplyFilesOptions extends Pick<WriteOptions, "dryRun" | "fieldValidation" | "signal"> {
  /** Of objects that name none. Default: the client's. */
  readonly namespace?: string;
  /** Reads the folders in folders too. Default false. */
  readonly recursive?: boolean;
  /** Applies only the objects that it matches. */
  readonly labelSelector?: string;
  /** Who owns the applied fields. Default "kubets". */
  readonly fieldManager?: string;
  /** Takes fields over from other managers, where a conflict would be the answer. Default false. */
  readonly force?: boolean;
  /** Milliseconds to wait for a namespace or a definition that others need. Default 30,000. */
  readonly timeout?: number;
  /** Hears of each object once it is applied. */
  readonly onApplied?: (object: Stored<KubeObject>) => void;
}

const KUSTOMIZATION: ReadonlySet<string> = new Set(["kustomization.yaml", "kustomization.yml", "Kustomization"]);

/** A document of a file. */
interface Manifest {
  readonly source: string;
  readonly object: KubeObject;
}

/**
 * Applies the objects of files, folders, URLs and kustomizations by server-side apply, and resolves with the server's results in
 * the order of application: namespaces, definitions of custom resources, and all else by kind. A folder with a kustomization is
 * built. A custom resource may be in the same files as its definition. Throws before the first request when a document cannot be
 * read; an object that the server rejects does not keep it from the others, and the errors are thrown at the end: one error, or an
 * AggregateError.
 */
export async function applyFiles(
  client: KubernetesClient,
  files: string | URL | readonly (string | URL)[],
  options: ApplyFilesOptions,
): Promise<Stored<KubeObject>[]> {
  const manifests = (await Promise.all([files].flat().map((file) => read(file, options)))).flat();
  if (manifests.length === 0) throw new Error("no objects to apply: the files have none, or the selector matches none");
  manifests.sort((a, b) => applyPlace(kindOf(a)) - applyPlace(kindOf(b)));
  const isFoundation = (manifest: Manifest): boolean => FOUNDATIONS.includes(kindKey(kindOf(manifest)));
  const rest = manifests.filter((manifest) => !isFoundation(manifest));
  const foundations = FOUNDATIONS.map((kind) => manifests.filter((manifest) => kindKey(kindOf(manifest)) === kind));
  const all: Stored<KubeObject>[] = [];
  const errors: unknown[] = [];
  for (const group of [...foundations, rest]) {
    const applied: Info[] = [];
    for (const { source, object } of group) {
      options.signal?.throwIfAborted();
      try {
        const info = await applyOne(client, object, options);
        applied.push(info);
        all.push(info.object as Stored<KubeObject>);
      } catch (error) {
        options.signal?.throwIfAborted();
        errors.push(withSource("applying", source, error));
      }
    }
    if (group !== rest && options.dryRun !== true) await untilUsable(client, applied, rest.map(kindOf), options);
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(errorMessage).join("\n"));
  return all;
}

/** The documents of a file, a folder, a URL or a kustomization. */
async function read(
  file: string | URL,
  { recursive = false, labelSelector = "" }: ApplyFilesOptions,
): Promise<Manifest[]> {
  const path = file instanceof URL ? pathOf(file) : file;
  const isKustomization = !recursive && (await namesIn(path)).some((name) => KUSTOMIZATION.has(name));
  const result = await createBuilder({
    client: neverAsked,
    mapper: neverAsked,
    stdin: process.stdin,
    files: { cwd: process.cwd(), platform: process.platform },
    program: "kubets",
  })
    .local(true)
    .filenames(
      false,
      isKustomization ? { filenames: [], recursive, kustomize: path } : { filenames: [path], recursive },
    )
    .labelSelector(labelSelector)
    .flatten()
    .do();
  return (await result.infos()).map(({ source, object = {} }) => ({ source, object }));
}

const pathOf = (url: URL): string => (url.protocol === "file:" ? fileURLToPath(url) : url.href);

/** The names in a folder; of what is none, none. */
const namesIn = (path: string): Promise<readonly string[]> => readdir(path).catch(() => []);

/** Documents are read without a server. */
function neverAsked(): never {
  throw new Error("the client was asked for a server while it reads manifests, which needs none");
}

function kindOf({ object: { apiVersion = "", kind = "" } }: Manifest): GroupKind {
  return { group: parseGroupVersion(apiVersion).group, kind };
}

async function applyOne(client: KubernetesClient, object: KubeObject, options: ApplyFilesOptions): Promise<Info> {
  const { namespace, fieldManager = "kubets", force, dryRun, fieldValidation, signal, onApplied } = options;
  const info = await infoOf({ mapper: client.mapper, namespace: namespace ?? client.namespace }, object);
  const resource = client.resource(info.mapping.resource).namespace(info.namespace);
  const applied = await resource.apply(info.object ?? {}, {
    fieldManager,
    ...(force !== undefined && { force }),
    ...(dryRun !== undefined && { dryRun }),
    ...(fieldValidation !== undefined && { fieldValidation }),
    ...(signal !== undefined && { signal }),
  });
  refresh(info, applied);
  onApplied?.(applied);
  return info;
}

async function untilUsable(
  client: KubernetesClient,
  applied: readonly Info[],
  needed: readonly GroupKind[],
  { signal = new AbortController().signal, timeout = 30_000 }: ApplyFilesOptions,
): Promise<void> {
  await waitForFoundations(applied, needed, {
    client: async () => client.rest,
    mapper: async () => client.mapper,
    sleep: (milliseconds) => awaitedPause(milliseconds, signal),
    signal,
    timeout,
  });
}
