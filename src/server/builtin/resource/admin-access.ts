import type {
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "../../../api/types/resource/v1.js";
import { type FieldError, forbiddenField } from "../../../machinery/errors/field-error.js";
import { notFound } from "../../../machinery/errors/status-error.js";
import { object, objects, type Received } from "../../../machinery/meta/received.js";
import type { StrategyContext } from "../../registry/strategy.js";

const LABEL = "resource.kubernetes.io/admin-access";

/**
 * Returns the problem of the first request with admin access, unless the namespace's label allows that. The path of a template's request
 * is that of a claim's.
 */
export function requestedAdminAccess(
  spec: Received<ResourceClaimSpec> | null | undefined,
  namespace: string | undefined,
  context: StrategyContext,
): Promise<FieldError[]> {
  const index = objects(object(object(spec).devices).requests).findIndex(({ exactly }) => isAdmin(object(exactly)));
  return unlessAllowed(`spec.devices.requests[${index}].adminAccess`, index, namespace, context);
}

/** As {@link requestedAdminAccess}, for the devices of an allocation. An allocation that had admin access `before` keeps it. */
export async function allocatedAdminAccess(
  results: readonly Received<DeviceRequestAllocationResult>[],
  before: readonly Received<DeviceRequestAllocationResult>[],
  namespace: string | undefined,
  context: StrategyContext,
): Promise<FieldError[]> {
  if (before.some(isAdmin)) return [];
  const index = results.findIndex(isAdmin);
  return unlessAllowed(`status.allocation.devices.results[${index}].adminAccess`, index, namespace, context);
}

const isAdmin = ({ adminAccess }: Received<ExactDeviceRequest | DeviceRequestAllocationResult>): boolean =>
  adminAccess === true;

async function unlessAllowed(
  field: string,
  index: number,
  name = "",
  { objects: access }: StrategyContext,
): Promise<FieldError[]> {
  if (index < 0) return [];
  const namespace = await access.get("", "namespaces", "", name);
  if (namespace === undefined) {
    const { message } = notFound({ group: "", resource: "namespaces" }, name);
    const detail = `could not retrieve namespace to verify admin access: ${message}`;
    return [{ type: "InternalError", field, detail }];
  }
  if (namespace.metadata?.labels?.[LABEL] === "true") return [];
  const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
  return [forbiddenField(field, detail)];
}
