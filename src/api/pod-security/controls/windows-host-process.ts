import type { WindowsSecurityContextOptions } from "../../types/core/v1.js";
import { containersOf, type Control } from "../control.js";
import { setters } from "../wording.js";

const isHostProcess = (options: WindowsSecurityContextOptions | undefined): boolean => options?.hostProcess === true;

/** No container is a process of a Windows node. */
export const windowsHostProcess: Control = {
  id: "windowsHostProcess",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const bad = containersOf(pod).filter(({ securityContext }) => isHostProcess(securityContext?.windowsOptions));
        const who = setters(
          isHostProcess(pod.spec.securityContext?.windowsOptions),
          bad.map(({ name }) => name),
        );
        if (who === "") return undefined;
        return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
      },
    },
  ],
};
