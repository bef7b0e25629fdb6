import type { Control } from "../control.js";
import { forbiddenAdditions } from "./added-capabilities.js";

/** What container runtimes grant by default, without NET_RAW. */
const ALLOWED: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Containers add no capability beyond the default ones. */
export const capabilitiesBaseline: Control = {
  id: "capabilities_baseline",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const detail = forbiddenAdditions(pod, ALLOWED);
        return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
      },
    },
  ],
};
