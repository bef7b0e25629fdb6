import { badRequest } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { RequestInfo } from "../../request/request-info.js";

/** Throws unless the name and the namespace of a body, where it has them, are those of the URL. */
export function checkName(object: KubeObject, { name, namespace }: RequestInfo): void {
  const own = object.metadata?.name ?? "";
  if (own === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  const ownNamespace = object.metadata?.namespace ?? "";
  if (namespace !== "" && ownNamespace !== "" && ownNamespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${ownNamespace}) does not match the namespace on the request (${namespace})`,
    );
  }
}
