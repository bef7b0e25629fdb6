import { nodeWarnings, validateNode, validateNodeUpdate } from "../../../api/validation/node.js";
import { absent, ensureChild, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";

/** Nodes may be made with a status: kubelets did. Where a kubelet's configuration comes from is kept only where it is set. */
export const nodeStrategy: Strategy = {
  prepareForCreate: (draft) => dropConfigSource(draft, {}),
  prepareForUpdate: dropConfigSource,
  prepareForStatusUpdate(draft, old) {
    if (absent(object(old.status).config)) delete ensureChild(draft, "status").config;
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeUpdate,
  warningsOnCreate: nodeWarnings,
  warningsOnUpdate: nodeWarnings,
  keepsStatusOnCreate: true,
  fieldLabels: ["spec.unschedulable"],
  fields: (node) => ({ "spec.unschedulable": String(object(node.spec).unschedulable === true) }),
};

function dropConfigSource(draft: KubeObject, old: KubeObject): void {
  if (absent(object(old.spec).configSource)) delete ensureChild(draft, "spec").configSource;
}
