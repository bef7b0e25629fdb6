import { once } from "../../base/async/once.js";
import { forbidden, internalError } from "../../machinery/errors/status-error.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { AdmitCreate } from "./resource.js";
import type { RequestScope } from "./scope.js";
import { namespaceOf, type StoreConfig } from "./store-config.js";

/**
 * The admission of an object that an update or a patch creates: before plugins judge it, the user needs the right to create it, which the
 * request itself was not asked for. It is asked once, however often the write is tried. Source: kube-apiserver's withAuthorization.
 */
export function authorizedCreation(
  config: StoreConfig,
  scope: RequestScope,
  name: string,
  { validate, ...admit }: AdmitCreate,
): AdmitCreate {
  const ask = once(() => requireCreate(config, scope, name));
  return {
    ...admit,
    async validate(object) {
      await ask();
      await validate?.(object);
    },
  };
}

async function requireCreate(config: StoreConfig, scope: RequestScope, name: string): Promise<void> {
  const { group, resource, authorization } = config;
  const {
    decision,
    reason = "",
    error,
  } = await authorization.authorize({
    user: scope.user,
    verb: "create",
    isResourceRequest: true,
    apiGroup: group,
    apiVersion: parseGroupVersion(scope.apiVersion).version,
    resource,
    subresource: "",
    namespace: namespaceOf(config, scope),
    name,
    path: "",
  });
  if (decision === "allow") return;
  throw error === undefined ? forbidden({ group, resource }, name, reason) : internalError(error);
}
