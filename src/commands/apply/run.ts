import { append } from "../../base/collections/append.js";
import { errorMessage } from "../../base/text/error-message.js";
import { applyServerSide, type ServerSideEvent } from "../../actions/apply/apply-server-side.js";
import { type ApplyOptions, applyObject, readLive, requireName } from "../../actions/apply/apply-object.js";
import { LAST_APPLIED } from "../../actions/apply/last-applied.js";
import { forEachPrunable, pruneObject, Visited, type Prunable } from "../../actions/apply/prune.js";
import { ReadAhead } from "../../actions/read-ahead.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type Info, objectName } from "../../resource/info.js";
import { aggregate } from "../../resource/visitor.js";
import type { ApplyCommandOptions, ApplyOutcome } from "./options.js";
import type { Stage } from "../../actions/apply/apply-stages.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { formatKind, type RestMapping } from "../../machinery/rest-mapper.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import { isList, listItems } from "../../resource/lists.js";
import type { ApplySet } from "./apply-set.js";

/**
 * Reads everything of a stage, then applies one after the other, going on after a failure; prunes when nothing failed. Most
 * command lines have one stage.
 */
export async function runApply(options: ApplyCommandOptions): Promise<void> {
  const visited = new Visited();
  for (const namespace of options.namespaces) visited.namespaces.add(namespace);
  const all: Info[] = [];
  const failures: unknown[] = [];
  for (const stage of await options.stages()) {
    const infos = await gather(stage, options, failures);
    if (infos.length === 0 && failures.length === 0) break;
    append(all, infos);
    await options.applySet?.begin(infos);
    const ahead = readAhead(infos, options);
    for (const [index, info] of infos.entries()) {
      const live = ahead === undefined ? undefined : () => ahead.take(index);
      await applyOne(info, visited, live, options).catch((failure: unknown) => void failures.push(failure));
    }
    if (stage.ready === undefined) continue;
    if (failures.length > 0) break;
    await stage.ready(infos);
  }
  if (all.length === 0 && failures.length === 0) throw new Error("no objects passed to apply");
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw aggregate(failures);
  (await options.log())?.info(4, "apply.go:546", "Running apply post-processor function");
  options.printWhole?.(wholeOf(all));
  if (options.choices.prune) await prune(visited, options);
}

async function gather(
  { find }: Stage,
  { applySet }: ApplyCommandOptions,
  failures: unknown[],
): Promise<readonly Info[]> {
  const { infos, error } = await (await find()).gather();
  try {
    applySet?.label(infos);
  } catch (failure) {
    failures.push(failure);
    return [];
  }
  if (error !== undefined) failures.push(error);
  return infos;
}

/** kubectl reads each object when its turn comes; for so many the order of requests does not matter to a user. */
const MANY = 20;

function readAhead(infos: readonly Info[], { choices, clientSide }: ApplyCommandOptions): ReadAhead | undefined {
  if (infos.length <= MANY || choices.serverSide) return undefined;
  return new ReadAhead(infos, async (info) => readLive(info, await clientSide()));
}

type Live = ApplyOptions["live"];

async function applyOne(info: Info, visited: Visited, live: Live, options: ApplyCommandOptions): Promise<void> {
  if (info.mapping.namespaced) visited.namespaces.add(info.namespace);
  info.object = options.record(info.object ?? {});
  requireName(info);
  if (options.choices.serverSide) await applyOnServer(info, visited, options);
  else await applyHere(info, visited, live, options);
}

async function applyHere(info: Info, visited: Visited, live: Live, options: ApplyCommandOptions): Promise<void> {
  for await (const event of applyObject(info, { ...(await options.clientSide()), live })) {
    switch (event.type) {
      case "missingLastApplied":
        options.warn(missingRecord(info, options.program));
        break;
      case "warning":
        options.warn(`warning: ${event.message}\n`);
        break;
      case "created":
      case "configured":
      case "unchanged":
        tellOutcome(event.type, event, visited, options);
    }
  }
}

async function applyOnServer(info: Info, visited: Visited, options: ApplyCommandOptions): Promise<void> {
  for await (const event of applyServerSide(info, await options.serverSide())) {
    if (event.type === "migrationFailed") options.warn(migrationWarning(event));
    else tellOutcome("serverside-applied", event, visited, options);
  }
}

function tellOutcome(
  operation: ApplyOutcome,
  { object, deleting }: { readonly object: KubeObject; readonly deleting: boolean },
  visited: Visited,
  options: ApplyCommandOptions,
): void {
  if (deleting) options.warn(beingDeleted(object));
  visited.addUid(object);
  options.printLine(operation, object);
}

async function prune(visited: Visited, options: ApplyCommandOptions): Promise<void> {
  const { applySet, deletion, choices } = options;
  const { dryRun } = choices;
  const client = await options.client();
  if (applySet !== undefined) {
    const print = ({ object }: { readonly object: KubeObject }): void => options.printPruned(object);
    await pruneApplySet(applySet, { client, applied: visited.uids, dryRun, deletion, print });
    return applySet.finish();
  }
  const search = {
    client,
    mapper: await options.mapper(),
    kinds: choices.pruneKinds,
    selector: choices.selector,
    visited,
    warnOfDefault: options.warnOfPruneDefault,
  };
  await forEachPrunable(search, async (found) => {
    if (dryRun !== "client") await pruneObject(found, client, { ...deletion, dryRun: dryRun === "server" });
    options.printPruned(found.object);
  });
}

const missingRecord = (info: Info, program: string): string =>
  `Warning: resource ${objectName(info)} is missing the ${LAST_APPLIED} annotation which is required by ${program} apply. ${program} apply should only be used on resources created declaratively by either ${program} create --save-config or ${program} apply. The missing annotation will be patched automatically.\n`;

const beingDeleted = (object: KubeObject): string =>
  `Warning: Detected changes to resource ${object.metadata?.name ?? ""} which is currently being deleted.\n`;

const FAILED_STEPS = {
  lastApplied: `failed to migrate ${LAST_APPLIED} for Server-Side Apply`,
  managedFields: "server rejected managed fields migration to Server-Side Apply",
  reapply: "failed to re-apply configuration after performing Server-Side Apply migration",
} as const;

function migrationWarning({ step, error }: Extract<ServerSideEvent, { type: "migrationFailed" }>): string {
  const message = errorMessage(error);
  return `Warning: ${FAILED_STEPS[step]}. This is non-fatal and will be retried next time you apply. Error: ${message}\n`;
}

/** The one object, or a List of all. */
function wholeOf(infos: readonly Info[]): KubeObject {
  const objects = infos.map((info) => info.object ?? {});
  const [first] = objects;
  if (first !== undefined && objects.length === 1) return first;
  return { apiVersion: "v1", kind: "List", metadata: {}, items: objects };
}

export interface ApplySetPruneOptions {
  readonly client: RestClient;
  /** uids of what was applied. */
  readonly applied: ReadonlySet<string>;
  readonly dryRun: "none" | "client" | "server";
  readonly deletion: DeleteOptions;
  readonly print: (found: Prunable) => void;
}

/** Deletes the members of the set that were not applied. */
async function pruneApplySet(set: ApplySet, options: ApplySetPruneOptions): Promise<void> {
  const { client, dryRun, deletion, print } = options;
  for (const found of await membersToPrune(set, options)) {
    if (dryRun !== "client") {
      await pruneObject(found, client, { ...deletion, dryRun: dryRun === "server" }).catch((error: unknown) => {
        throw new Error(`pruning ${describe(found)}: ${errorMessage(error)}`, { cause: error });
      });
    }
    print(found);
  }
}

/** All lists are asked for at once. */
async function membersToPrune(set: ApplySet, options: ApplySetPruneOptions): Promise<readonly Prunable[]> {
  const { mappings, namespaces } = set.current;
  const lists = mappings.flatMap((mapping) =>
    (mapping.namespaced ? [...namespaces] : [""]).map((namespace) => listMembers(set, mapping, namespace, options)),
  );
  return (await Promise.all(lists)).flat();
}

async function listMembers(
  { selector }: ApplySet,
  mapping: RestMapping,
  namespace: string,
  { client, applied }: ApplySetPruneOptions,
): Promise<readonly Prunable[]> {
  const helper = new Helper(client, mapping, { sentBy: "dynamic" });
  const list = await helper.list(namespace, { labelSelector: selector }).catch((error: unknown) => {
    throw new Error(`listing ${formatKind(mapping.kind)} objects for pruning: ${errorMessage(error)}`, {
      cause: error,
    });
  });
  if (!isList(list)) return [];
  return listItems(list)
    .filter(({ metadata }) => !applied.has(metadata?.uid ?? ""))
    .map((object) => ({ mapping, namespace, object }));
}

/** "Deployment.apps shop/web" */
function describe({ mapping: { kind }, namespace, object }: Prunable): string {
  const type = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const name = object.metadata?.name ?? "";
  return `${type} ${namespace === "" ? name : `${namespace}/${name}`}`;
}
