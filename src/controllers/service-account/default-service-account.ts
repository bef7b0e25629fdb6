import type { ControllerContext } from "../context.js";

/** Every namespace has a ServiceAccount "default". */
export function defaultServiceAccounts({ namespaceObjects }: ControllerContext): void {
  const name = "default";
  const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
  namespaceObjects.add({ kind: "ServiceAccount", name, object });
}
