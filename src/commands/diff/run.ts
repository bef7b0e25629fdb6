import { errorMessage } from "../../base/text/error-message.js";
import { diffObject, type DiffObjectOptions } from "../../actions/diff/diff-object.js";
import { isSecret } from "../../actions/diff/mask-secret.js";
import { withoutServerFields } from "../../actions/diff/server-fields.js";
import { forEachPrunable, type PruneKind, Visited } from "../../actions/apply/prune.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatKind, type RestMapper } from "../../machinery/rest-mapper.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { Result } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";
import { showDifference } from "./diff-program.js";
import { VersionsFolder } from "./versions-folder.js";

export interface DiffOptions {
  /** What would be applied. */
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly comparing: Omit<DiffObjectOptions, "client" | "object">;
  /** Present: also what --prune would delete. */
  readonly prune: { readonly kinds: readonly PruneKind[]; readonly selector: string } | undefined;
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

/** Both versions of one object. */
async function writeBoth(
  info: Info,
  visited: Visited,
  live: VersionsFolder,
  merged: VersionsFolder,
  options: DiffOptions,
): Promise<void> {
  const { comparing, log, warn } = options;
  const client = { rest: await options.client(), mapper: await options.mapper() };
  let present: KubeObject | undefined;
  try {
    for await (const event of diffObject({ ...comparing, client, object: info })) {
      if (event.type === "read") {
        present = event.live;
        if (info.mapping.namespaced) visited.namespaces.add(info.namespace);
        visited.addUid(present);
      } else if (event.type === "keepsChanging") {
        log("diff.go:723", keepsChanging(info));
      } else if (event.type === "warning") {
        warn(`warning: ${event.message}\n`);
      } else {
        const masks = comparing.showSecrets !== true && isSecret(event.merged);
        // kubectl's masking makes a null of an object that is not there.
        await live.write(fileName(info), event.live ?? (masks ? null : undefined));
        await merged.write(fileName(info), event.merged);
      }
    }
  } finally {
    if (present?.metadata?.deletionTimestamp !== undefined) warn(beingDeleted(present));
  }
}

/** "apps.v1.Deployment.default.web" */
function fileName({ mapping: { kind }, namespace, name }: Info): string {
  return `${kind.group === "" ? "" : `${kind.group}.`}${kind.version}.${kind.kind}.${namespace}.${name}`;
}

async function writePruned(visited: Visited, live: VersionsFolder, options: DiffOptions): Promise<void> {
  const { prune, client, warnOfPruneDefault, log } = options;
  if (prune === undefined) return;
  const found: KubeObject[] = [];
  const { kinds, selector } = prune;
  const search = {
    client: await client(),
    mapper: await options.mapper(),
    kinds,
    selector,
    visited,
    warnOfDefault: warnOfPruneDefault,
  };
  await forEachPrunable(search, async ({ object }) => void found.push(object)).catch((error: unknown) => {
    const message = errorMessage(error);
    log("diff.go:760", `pruning failed and could not be evaluated err: ${message}`);
  });
  for (const object of found) {
    await live.write(
      prunedFileName(object),
      options.comparing.fields === "manifest" ? withoutServerFields(object) : object,
    );
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
