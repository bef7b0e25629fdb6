import { absent } from "../../../machinery/meta/access.js";
import type { Control } from "../control.js";
import { plural, quoted } from "../wording.js";

/** No volume is a folder of the node. */
export const hostPathVolumes: Control = {
  id: "hostPathVolumes",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check({ spec }) {
        const bad = (spec.volumes ?? []).filter(({ hostPath }) => !absent(hostPath)).map(({ name }) => name);
        if (bad.length === 0) return undefined;
        return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", bad.length)} ${quoted(bad)}` };
      },
    },
  ],
};
