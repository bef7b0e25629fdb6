import { forEachPrunable, type PruneKind, Visited } from "../../actions/prune.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatKind, type RestMapper } from "../../machinery/rest-mapper.js";
import type { Factory } from "../../cli/factory.js";
import type { Result } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";
import { retrieveWith } from "../../resource/retrieve.js";
import { showDifference } from "./diff-program.js";
import { isSecret, maskSecret, type Versions } from "./mask-secret.js";
import { type MergeOptions, mergedObject } from "./merged-object.js";
import { withoutServerFields } from "./server-fields.js";
import { VersionsFolder } from "./versions-folder.js";

export interface DiffOptions {
  /** What would be applied. */
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly merging: Omit<MergeOptions, "client">;
  readonly showManagedFields: boolean;
  readonly showSecrets: boolean;
  /** kubets' own: what the server keeps for itself is not compared. */
  readonly hideServerFields: boolean;
  /** Present: also what --prune would delete. */
  readonly prune:
    | { readonly kinds: readonly PruneKind[]; readonly selector: string; readonly mapper: () => Promise<RestMapper> }
    | undefined;
  readonly warn: (text: string) => void;
  /** As klog does: where in kubectl, and what. */
  readonly log: (source: string, text: string) => void;
  readonly warnOfPruneDefault: () => void;
  readonly host: Pick<Factory, "env" | "platform" | "random" | "runProgram" | "streams" | "look">;
}

/** Writes what is and what would be into two folders, and lets a program compare them. */
export async function runDiff(options: DiffOptions): Promise<void> {
  const live = await VersionsFolder.make("LIVE", options.host);
  try {
    const merged = await VersionsFolder.make("MERGED", options.host);
    try {
      await writeVersions(live, merged, options);
      await showDifference(live.path, merged.path, options.host);
    } finally {
      await merged.remove();
    }
  } finally {
    await live.remove();
  }
}

async function writeVersions(live: VersionsFolder, merged: VersionsFolder, options: DiffOptions): Promise<void> {
  const visited = new Visited();
  const result = await options.find();
  const failure = await result
    .visit((info) => writeBoth(info, visited, live, merged, options))
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  if (options.prune !== undefined) await writePruned(visited, live, options);
  if (failure !== undefined) throw failure.error;
}

const ATTEMPTS = 4;

/** An object that changes meanwhile is read and merged again; the last time nobody looks whether it did. */
async function writeBoth(
  info: Info,
  visited: Visited,
  live: VersionsFolder,
  merged: VersionsFolder,
  options: DiffOptions,
): Promise<void> {
  const local = info.object ?? {};
  const client = await options.client();
  try {
    for (let attempt = 1; ; attempt++) {
      await readLive(info, client);
      const lock = attempt < ATTEMPTS;
      if (!lock) options.log("diff.go:723", keepsChanging(info));
      if (info.mapping.namespaced) visited.namespaces.add(info.namespace);
      visited.addUid(info.object);
      try {
        const to = await mergedObject(info, local, lock, { ...options.merging, client });
        const versions = shown({ from: info.object, to }, options);
        await live.write(fileName(info), versions.from);
        await merged.write(fileName(info), versions.to);
        return;
      } catch (error) {
        if (!isConflict(error) || !lock) throw error;
      }
    }
  } finally {
    if (info.object?.metadata?.deletionTimestamp !== undefined) options.warn(beingDeleted(info.object));
  }
}

async function readLive(info: Info, client: RestClient): Promise<void> {
  try {
    await retrieveWith(async () => client)(info);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    delete info.object;
  }
}

interface Shown {
  readonly from: KubeObject | null | undefined;
  readonly to: KubeObject;
}

function shown({ from, to }: Versions, options: DiffOptions): Shown {
  const { hideServerFields, showManagedFields, showSecrets } = options;
  const visible = hideServerFields ? withoutServerFields : showManagedFields ? whole : unmanaged;
  const versions = { from: from && visible(from), to: visible(to) };
  if (showSecrets || !isSecret(to)) return versions;
  const masked = maskSecret(versions);
  // kubectl's masking makes a null of an object that is not there.
  return { from: masked.from ?? null, to: masked.to };
}

const whole = (object: KubeObject): KubeObject => object;

function unmanaged(object: KubeObject): KubeObject {
  const { managedFields: _managed, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** "apps.v1.Deployment.default.web" */
function fileName({ mapping: { kind }, namespace, name }: Info): string {
  return `${kind.group === "" ? "" : `${kind.group}.`}${kind.version}.${kind.kind}.${namespace}.${name}`;
}

async function writePruned(visited: Visited, live: VersionsFolder, options: DiffOptions): Promise<void> {
  const { prune, client, warnOfPruneDefault, log } = options;
  if (prune === undefined) return;
  const found: KubeObject[] = [];
  const { kinds, selector, mapper } = prune;
  const search = {
    client: await client(),
    mapper: await mapper(),
    kinds,
    selector,
    visited,
    warnOfDefault: warnOfPruneDefault,
  };
  await forEachPrunable(search, async ({ object }) => void found.push(object)).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    log("diff.go:760", `pruning failed and could not be evaluated err: ${message}`);
  });
  for (const object of found) {
    await live.write(prunedFileName(object), options.hideServerFields ? withoutServerFields(object) : object);
  }
}

function prunedFileName({ apiVersion = "", kind = "", metadata }: KubeObject): string {
  const { group, version } = parseGroupVersion(apiVersion);
  const { namespace = "", name = "" } = metadata ?? {};
  return `${group === "" ? "" : `${group}.`}${version}.${kind}.${namespace}.${name}`;
}

const keepsChanging = ({ mapping, name }: Info): string =>
  `Object (${formatKind(mapping.kind)}: ${name}) keeps changing, diffing without lock`;

const beingDeleted = (object: KubeObject): string =>
  `Warning: Detected changes to resource ${object.metadata?.name ?? ""} which is currently being deleted.\n`;
