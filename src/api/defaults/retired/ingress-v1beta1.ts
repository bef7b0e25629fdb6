import { child, children, type Fields, setDefault } from "../../../machinery/meta/access.js";

/** extensions/v1beta1 and networking.k8s.io/v1beta1; networking.k8s.io/v1 wants the path type stated. */
export function defaultIngress(ingress: Fields): void {
  for (const rule of children(child(ingress, "spec") ?? {}, "rules")) {
    for (const path of children(child(rule, "http") ?? {}, "paths")) {
      setDefault(path, "pathType", "ImplementationSpecific");
    }
  }
}
