import { children, ensureChild, type Fields, list } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { debugContainer, type DebugRequest } from "./container-request.js";
import type { ApplyCustomProfile } from "./custom-profile.js";
import { debugProfile } from "./profiles.js";

export interface EphemeralPod {
  /** The pod with the container. */
  readonly pod: KubeObject;
  readonly container: Fields;
}

/** The pod with one ephemeral container more, which sees the processes of the container `target` where that is not "". */
export function withEphemeralContainer(
  pod: KubeObject,
  name: string,
  target: string,
  request: DebugRequest,
  applyCustom: ApplyCustomProfile,
): EphemeralPod {
  const draft = structuredClone(pod) as Fields;
  const spec = ensureChild(draft, "spec");
  const container = { ...debugContainer(request, name), ...(target !== "" && { targetContainerName: target }) };
  spec["ephemeralContainers"] = [...list(spec["ephemeralContainers"]), container];
  debugProfile(request.profile)({ pod: draft, container: name, style: "ephemeral", keep: request.keep });
  applyCustom(draft, "ephemeralContainers", name, request.custom);
  return { pod: draft as KubeObject, container: children(spec, "ephemeralContainers").at(-1) ?? {} };
}
