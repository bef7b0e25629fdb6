import { errorMessage } from "../../base/text/error-message.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isConflict, isStatusError } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { encodeBody } from "../../resource/encode-json.js";
import { Helper, type HelperOptions } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { keepLastApplied, LAST_APPLIED_MANAGER, migrateManagedFields } from "./migrate-to-server-side.js";

export interface ServerSideOptions {
  readonly client: RestClient;
  /** True: the server does everything but keep the result. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: string;
  /** "": the object itself. */
  readonly subresource: string;
  /** Take over fields that others manage. */
  readonly force: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type ServerSideEvent =
  /** The object is applied, but the way from client-side apply to server-side apply is not done with. */
  | {
      readonly type: "migrationFailed";
      readonly step: "lastApplied" | "managedFields" | "reapply";
      readonly error: unknown;
    }
  | { readonly type: "applied"; readonly object: KubeObject; readonly deleting: boolean };

/**
 * Lets the server apply `info.object` and refreshes `info` with the answer. The first time after client-side apply its
 * fields are handed over to the new manager, and the object is applied once more so that what left the file goes. A
 * conflict throws, with what can be done about it.
 */
export async function* applyServerSide(info: Info, options: ServerSideOptions): AsyncGenerator<ServerSideEvent, void> {
  const wanted = encodeBody(info.object ?? {});
  const { client, dryRun, fieldManager, fieldValidation, subresource, force, signal } = options;
  const request: HelperOptions = { dryRun, fieldManager, fieldValidation, subresource, signal };
  const helper = new Helper(client, info.mapping, request);
  const apply = (): Promise<KubeObject> => helper.patch(info.namespace, info.name, "apply", wanted, force);
  refresh(info, await apply().catch((error: unknown) => Promise.reject(explained(error))));

  const keeper = new Helper(client, info.mapping, { ...request, fieldManager: LAST_APPLIED_MANAGER });
  const kept = await attempt(() => keepLastApplied(info, fieldManager, keeper));
  if (kept.error !== undefined) yield { type: "migrationFailed", step: "lastApplied", error: kept.error };
  else {
    const migrated = await attempt(() => migrateManagedFields(info, fieldManager, helper));
    if (migrated.error !== undefined) yield { type: "migrationFailed", step: "managedFields", error: migrated.error };
    if (migrated.value === true) {
      const again = await attempt(apply);
      if (again.error !== undefined) yield { type: "migrationFailed", step: "reapply", error: again.error };
      if (again.value !== undefined) refresh(info, again.value);
    }
  }
  const object = info.object ?? {};
  yield { type: "applied", object, deleting: object.metadata?.deletionTimestamp !== undefined };
}

async function attempt<T>(act: () => Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
}

function explained(error: unknown): unknown {
  const message = errorMessage(error);
  if (isStatusError(error) && error.code === 415) {
    return new Error(`Server-side apply not available on the server: (${message})`, { cause: error });
  }
  return isConflict(error) ? new Error(`${message}\n${CONFLICT_ADVICE}`, { cause: error }) : error;
}

const CONFLICT_ADVICE = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`;
