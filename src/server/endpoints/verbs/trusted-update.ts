import { notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { copyObject } from "../../registry/copy.js";
import { ADMITTED, type AdmitUpdate, type UpdateOptions } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { StoredObject } from "../../storage/store.js";
import type { ServedResource } from "../served-resource.js";
import { scopeOf } from "./scope.js";

interface TrustedUpdateOptions {
  readonly preconditions?: UpdateOptions["preconditions"];
  /** Left out when admission has already run. */
  readonly admit?: AdmitUpdate;
}

/** Changes one field of the named object, without the strategy. `change` gets a draft that it may change, and may run again. */
export async function trustedUpdate(
  request: ApiRequest,
  resource: ServedResource,
  dryRun: boolean,
  change: (draft: KubeObject) => void,
  { preconditions, admit = ADMITTED }: TrustedUpdateOptions = {},
): Promise<StoredObject> {
  const { info } = request;
  if (resource.storage.update === undefined) throw new Error(`${info.resource} cannot be updated`);
  const { object } = await resource.storage.update(
    scopeOf(request, dryRun),
    info.name,
    (current) => {
      if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
      const draft = copyObject(current.object());
      change(draft);
      return Promise.resolve(draft);
    },
    { trusted: true, preconditions, admit },
  );
  return object;
}
