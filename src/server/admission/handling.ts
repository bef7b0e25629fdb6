import { formatGroupResource } from "../../machinery/errors/status-error.js";
import type { Operation } from "./attributes.js";
import type { AdmissionTarget } from "./plugin.js";

/** The operations that leave an object behind. */
export const WRITES: readonly Operation[] = ["CREATE", "UPDATE"];

/** `handles` of a plugin that looks at these operations on these resources, named as {@link targetName} does. */
export function handling(
  operations: readonly Operation[],
  ...resources: readonly string[]
): (operation: Operation, target: AdmissionTarget) => boolean {
  return (operation, target) => operations.includes(operation) && resources.includes(targetName(target));
}

/** "pods", "deployments.apps", "pods/resize". */
export function targetName({ subresource, ...resource }: AdmissionTarget): string {
  const name = formatGroupResource(resource);
  return subresource === "" ? name : `${name}/${subresource}`;
}
