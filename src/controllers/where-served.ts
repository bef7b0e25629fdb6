import { formatGroupVersion, type GroupVersion } from "../machinery/meta/gvk.js";
import type { ControllerContext, StartController } from "./context.js";
import { unlessAbsent } from "./unless-absent.js";

/** A controller of kinds that servers leave out by default: it runs where the group version is served at the start. */
export function whereServed(groupVersion: GroupVersion, start: (context: ControllerContext) => void): StartController {
  return (context) => ({
    async prepare() {
      const path = `/apis/${formatGroupVersion(groupVersion)}`;
      if ((await unlessAbsent(context.client.rest.request({ method: "GET", path }))) !== undefined) start(context);
    },
  });
}
