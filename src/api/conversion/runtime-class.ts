import { object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { compact } from "./copies.js";
import type { VersionTable } from "./version-table.js";

/** node.k8s.io/v1alpha1 has a spec, whose fields lie at the top from v1beta1 on. */
export const NODE_ALPHA: VersionTable = {
  "node.k8s.io/v1alpha1/RuntimeClass": { conversion: { toHub: runtimeClassFromAlpha, fromHub: runtimeClassToAlpha } },
};

function runtimeClassFromAlpha({ spec, ...runtimeClass }: KubeObject): KubeObject {
  const { runtimeHandler, overhead, scheduling } = object(spec);
  return { ...runtimeClass, ...compact({ handler: runtimeHandler, overhead, scheduling }) };
}

function runtimeClassToAlpha({ handler, overhead, scheduling, ...runtimeClass }: KubeObject): KubeObject {
  return { ...runtimeClass, spec: compact({ runtimeHandler: handler, overhead, scheduling }) };
}
