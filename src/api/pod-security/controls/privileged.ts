import { containersOf, type Control } from "../control.js";
import { containersNamed } from "../wording.js";

/** No container is privileged. */
export const privileged: Control = {
  id: "privileged",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.privileged === true);
        if (bad.length === 0) return undefined;
        const containers = containersNamed(bad.map(({ name }) => name));
        return { reason: "privileged", detail: `${containers} must not set securityContext.privileged=true` };
      },
    },
  ],
};
