import { errorMessage } from "../../base/text/error-message.js";
import { decodeObject, UnmarshalError } from "../../machinery/wire/strict-decode.js";
import { isStatusError, timeout } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import { SHARE_OF_TIME } from "../request/share-of-time.js";
import type { AdmissionAttributes, AdmissionRecord, AdmissionRequest } from "./attributes.js";
import type { AdmissionContext, AdmissionObjectReader, AdmissionObjects, AdmissionPlugin } from "./plugin.js";

/**
 * A plugin from outside the server, such that it can harm no more than the request it looks at: it gets copies of everything
 * but the draft, the draft must still be of its kind afterwards, and whatever the plugin throws becomes this request's error.
 */
export function guarded(plugin: AdmissionPlugin): AdmissionPlugin {
  const { name } = plugin;
  return {
    name,
    ...(plugin.handles && {
      handles: (operation, target) => {
        try {
          return plugin.handles?.(operation, target) === true;
        } catch (error) {
          throw fault(name, error);
        }
      },
    }),
    ...(plugin.admit && {
      admit: async (attributes, context) => {
        const record = attributes as AdmissionRecord;
        const { kind, apiVersion } = record.object ?? {};
        const view = shielded(record, record.object);
        await bounded(name, record, () => plugin.admit?.(view, apart(context)));
        if (record.object !== undefined) checkShape(name, record, record.object, { kind, apiVersion });
      },
    }),
    ...(plugin.validate && {
      validate: (attributes, context) => {
        const record = attributes as AdmissionRecord;
        const view = shielded(record);
        return bounded(name, record, () => plugin.validate?.(view, apart(context)));
      },
    }),
  };
}

const copyOf = (object: KubeObject): KubeObject => deepCopy(object);

/** The attributes with copies of their objects, each made when it is first asked for; `draft` is shown as it is. */
function shielded(record: AdmissionRecord, draft?: KubeObject): AdmissionAttributes {
  let object = draft;
  let oldObject: KubeObject | undefined;
  return record.over({
    get object() {
      if (record.object !== undefined) object ??= copyOf(record.object);
      return object;
    },
    get oldObject() {
      if (record.oldObject !== undefined) oldObject ??= copyOf(record.oldObject);
      return oldObject;
    },
  });
}

/** The server's objects as copies. */
function apart(context: AdmissionContext): AdmissionContext {
  const reader = (from: AdmissionObjectReader): AdmissionObjectReader => ({
    list: async (group, resource, namespace) => (await from.list(group, resource, namespace)).map(copyOf),
    get: async (group, resource, namespace, name) => {
      const found = await from.get(group, resource, namespace, name);
      return found && copyOf(found);
    },
  });
  const { cached } = context.objects;
  const objects: AdmissionObjects = {
    ...reader(context.objects),
    cached: {
      ...reader(cached),
      has: (...wanted) => cached.has(...wanted),
      now: (...wanted) =>
        cached.now(...wanted)?.map((one) => ({ revision: one.revision, object: () => copyOf(one.object()) })),
    },
  };
  return { ...context, objects };
}

/**
 * Runs one phase of a plugin. It ends when the request is cancelled, whether the plugin has ended or not. A server that stops answers what it has
 * accepted, and waits for the plugin as before.
 */
async function bounded(name: string, { request }: AdmissionRecord, run: () => unknown): Promise<void> {
  try {
    const limit = request.timeLeft === undefined ? undefined : Math.round(request.timeLeft * SHARE_OF_TIME);
    const running = run();
    if (isThenable(running)) await inTime(running, request, limit);
  } catch (error) {
    throw isAnswer(error) ? error : fault(name, error);
  }
}

/** Waits for the plugin until its request is cancelled, and for `limit` milliseconds at most: then the plugin is at fault. */
function inTime(
  running: PromiseLike<unknown>,
  request: Pick<AdmissionRequest, "signal" | "isCancelled">,
  limit: number | undefined,
): Promise<void> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const over = () => {
      if (request.isCancelled) reject(timeout("request did not complete within the allotted timeout", 0));
    };
    const late = () => reject(new Error(`it did not finish within ${limit} ms`));
    const timer = limit === undefined ? undefined : setTimeout(late, limit).unref();
    if (signal.aborted) over();
    else signal.addEventListener("abort", over, { once: true });
    const ended = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
    };
    running.then(
      () => {
        ended();
        resolve();
      },
      (error: unknown) => {
        ended();
        reject(error);
      },
    );
  });
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** A StatusError that can be sent. */
function isAnswer(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  const { code } = error.status;
  return Number.isInteger(code) && code >= 400 && code < 600;
}

/** What the server reports, and the client reads behind "Internal error occurred: ". */
function fault(name: string, cause: unknown): Error {
  const text = errorMessage(cause);
  return new Error(`admission plugin "${name}" failed: ${text}`, { cause });
}

/** Throws when a mutating plugin has left something that is no object of the kind, which storage could not read again. */
function checkShape(
  name: string,
  { kind: { kind }, request }: AdmissionRecord,
  object: KubeObject,
  before: { readonly kind: string | undefined; readonly apiVersion: string | undefined },
): void {
  if (object.kind !== before.kind || object.apiVersion !== before.apiVersion) {
    throw fault(name, `it turned the ${kind} into ${String(object.apiVersion)} ${String(object.kind)}`);
  }
  if (request.schema === undefined) return;
  try {
    const [unknown] = decodeObject(object, request.schema).strictErrors;
    if (unknown !== undefined) throw fault(name, `it left no ${kind}: ${unknown}`);
  } catch (error) {
    throw error instanceof UnmarshalError ? fault(name, `it left no ${kind}: ${error.message}`) : error;
  }
}
