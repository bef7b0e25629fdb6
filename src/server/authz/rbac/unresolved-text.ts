import { goQuote } from "../../../base/text/go-quote.js";
import type { RoleRef } from "./binding.js";

/** Where kube-apiserver looks roles up: its authorizer in listers, which name a resource in the singular, its registry in storage. */
type Naming = "singular" | "plural";

/** Why a binding's role has no rules. */
export function unresolvedText({ kind, name }: RoleRef, naming: Naming): string {
  if (kind !== "ClusterRole" && kind !== "Role") return `unsupported role reference kind: ${goQuote(kind)}`;
  const resource = `${kind.toLowerCase()}${naming === "plural" ? "s" : ""}`;
  return `${resource}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}
