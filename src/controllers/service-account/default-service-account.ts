import type { Api } from "../api.js";
import { ensure } from "../ensure.js";

/** Every namespace has a ServiceAccount "default". */
export function ensureDefaultServiceAccount(api: Api, namespace: string): Promise<void> {
  return ensure(api, `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace },
  });
}
