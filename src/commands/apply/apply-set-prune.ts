import { errorMessage } from "../../base/text/error-message.js";
import { type Prunable, pruneObject } from "../../actions/apply/prune.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { formatKind, type RestMapping } from "../../machinery/rest-mapper.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import { isList, listItems } from "../../resource/is-list.js";
import type { ApplySet } from "./apply-set.js";

export interface ApplySetPruneOptions {
  readonly client: RestClient;
  /** uids of what was applied. */
  readonly applied: ReadonlySet<string>;
  readonly dryRun: "none" | "client" | "server";
  readonly deletion: DeleteOptions;
  readonly print: (found: Prunable) => void;
}

/** Deletes the members of the set that were not applied. */
export async function pruneApplySet(set: ApplySet, options: ApplySetPruneOptions): Promise<void> {
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
