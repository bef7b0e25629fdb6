import { setTimeout as pause } from "node:timers/promises";
import { followObject } from "../../actions/follow-object.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound, notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { type Info, objectName } from "../../resource/info.js";

export interface UntilContext {
  readonly client: RestClient;
  /** Aborts when the time for all objects is up. */
  readonly deadline: AbortSignal;
  /** Look once, without waiting. */
  readonly once: boolean;
  /** Told of every state that is seen. */
  readonly seen: (object: KubeObject) => void;
}

const POLL = 500;

/** Looks every half second until something is found. Throws what is wrong with the search itself. */
export async function untilCreated(find: () => Promise<Result>, deadline: AbortSignal, wait: boolean): Promise<void> {
  while (!(await isThere(find))) {
    if (wait) await pause(POLL, undefined, { signal: deadline }).catch(() => undefined);
    if (!wait || deadline.aborted) throw new Error("timed out waiting for the condition");
  }
}

async function isThere(find: () => Promise<Result>): Promise<boolean> {
  const result = await find();
  let found = false;
  try {
    await result.visit(() => {
      found = true;
      return Promise.resolve();
    });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  return found;
}

/** Answers with the object as it is when `check` holds for it. Throws when it is not there, or is not so in time. */
export async function untilHolds(
  info: Info,
  check: (object: KubeObject) => boolean,
  { client, deadline, once, seen }: UntilContext,
): Promise<KubeObject> {
  const helper = helperFor(info, client);
  if (once) {
    const object = await helper.get(info.namespace, info.name);
    if (!check(object)) throw new Error(`condition not met for ${objectName(info)}`);
    return object;
  }
  for await (const { type, object } of followObject(helper, info.namespace, info.name, deadline)) {
    if (type === "SYNCED") {
      if (object === undefined) throw notFound(info.mapping.resource, info.name);
    } else if (type !== "DELETED") {
      seen(object);
      if (check(object)) return object;
    }
  }
  throw timedOut(info);
}

/** Answers with the object as it was last. */
export async function untilGone(info: Info, { client, deadline, once, seen }: UntilContext): Promise<KubeObject> {
  const helper = helperFor(info, client);
  if (deadline.aborted) throw new Error("client rate limiter Wait returned an error: context deadline exceeded");
  let last: KubeObject;
  try {
    last = await helper.get(info.namespace, info.name);
  } catch (error) {
    if (isNotFound(error)) return info.object ?? {};
    throw error;
  }
  if (once) throw new Error(`condition not met for ${objectName(info)}`);
  for await (const { type, object } of followObject(helper, info.namespace, info.name, deadline)) {
    if (type === "DELETED" || object === undefined) return last;
    seen(object);
  }
  throw timedOut(info);
}

export function helperFor({ name, mapping }: Info, client: RestClient): Helper {
  if (name === "") throw new Error("resource name must be provided");
  // What --local leaves us with: a kind, and nowhere to look.
  if (mapping.resource.resource === "") throw new Error("nothing can be waited for without asking the server");
  return new Helper(client, mapping, { sentBy: "dynamic" });
}

export const timedOut = (info: Info): Error => new Error(`timed out waiting for the condition on ${objectName(info)}`);
