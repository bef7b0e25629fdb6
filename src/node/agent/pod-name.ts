import type { KubeObject } from "../../machinery/meta/object.js";

/** A pod in a kubelet's messages: "web_default(1b4e28ba-2fa1-11d2-883f-0016d3cca427)". */
export function podName({ metadata }: KubeObject): string {
  const { name = "", namespace = "", uid = "" } = metadata ?? {};
  return `${name}_${namespace}(${uid})`;
}
