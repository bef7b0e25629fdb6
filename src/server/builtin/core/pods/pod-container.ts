import { badRequest } from "../../../../machinery/errors/status-error.js";
import { object, objects, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";

/** The container that a client means: the one it names, or the only one. Throws 400 where there is no such container or a choice. */
export function chosenContainer(pod: KubeObject, wanted: string): string {
  const { name = "" } = pod.metadata ?? {};
  const { initContainers, containers, ephemeralContainers } = object(pod.spec);
  const all = [initContainers, containers, ephemeralContainers].flatMap(objects).map((one) => text(one.name));
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...more] = objects(containers).map((one) => text(one.name));
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (more.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
}
