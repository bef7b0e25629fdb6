import type { RestClient } from "../../client/rest/rest-client.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { isNoMatchError, type RestMapper } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import { type Info, objectName } from "../../resource/info.js";
import { followObject } from "../follow/follow-object.js";

export interface UsableOptions {
  readonly client: RestClient;
  /** Aborts when the time is over. */
  readonly deadline: AbortSignal;
}

/**
 * Resolves when a Namespace is Active or a CustomResourceDefinition is Established, so that others may rely on it. Throws when
 * that cannot happen any more, and at the deadline.
 */
export async function waitUntilUsable(info: Info, { client, deadline }: UsableOptions): Promise<void> {
  const helper = new Helper(client, info.mapping, { signal: deadline });
  for await (const { type, object: now } of followObject(helper, info.namespace, info.name, deadline)) {
    if (type === "DELETED" || (type === "SYNCED" && now === undefined)) {
      throw new Error(`${objectName(info)} is gone, and what follows needs it`);
    }
    if (now !== undefined && isUsable(now, info)) return;
  }
  throw new Error(`timed out waiting for ${objectName(info)} to be ${wantedState(info)}`);
}

const wantedState = ({ mapping }: Info): string => (mapping.kind.kind === "Namespace" ? "Active" : "Established");

function isUsable({ status, metadata }: KubeObject, info: Info): boolean {
  if (metadata?.deletionTimestamp !== undefined) throw new Error(`${objectName(info)} is being deleted`);
  if (info.mapping.kind.kind === "Namespace") return text(object(status).phase) === "Active";
  const condition = (type: string): ReturnType<typeof object> | undefined =>
    objects(object(status).conditions).find((one) => one.type === type);
  const names = condition("NamesAccepted");
  if (names?.status === "False") throw new Error(`${objectName(info)}: ${text(names.message)}`);
  return condition("Established")?.status === "True";
}

const POLL = 250;

/** Repeats discovery until the server lists all these kinds, which may take a while after their definitions are Established. */
export async function waitUntilServed(
  kinds: readonly GroupKind[],
  mapper: RestMapper,
  { deadline, sleep }: { readonly deadline: AbortSignal; readonly sleep: (milliseconds: number) => Promise<void> },
): Promise<void> {
  for (;;) {
    mapper.refresh();
    const missing = await firstMissing(kinds, mapper);
    if (missing === undefined) return;
    if (deadline.aborted) throw new Error(`timed out waiting for the server to list the kind ${missing.kind}`);
    await sleep(POLL);
  }
}

async function firstMissing(kinds: readonly GroupKind[], mapper: RestMapper): Promise<GroupKind | undefined> {
  for (const kind of kinds) {
    try {
      await mapper.mappingFor(kind);
    } catch (error) {
      if (!isNoMatchError(error)) throw error;
      return kind;
    }
  }
  return undefined;
}
