import type { Control } from "../control.js";
import { allowPrivilegeEscalation } from "./allow-privilege-escalation.js";
import { appArmorProfile } from "./app-armor-profile.js";
import { capabilitiesBaseline } from "./capabilities-baseline.js";
import { capabilitiesRestricted } from "./capabilities-restricted.js";
import { hostNamespaces } from "./host-namespaces.js";
import { hostPathVolumes } from "./host-path-volumes.js";
import { hostPorts } from "./host-ports.js";
import { hostProbesAndHostLifecycle } from "./host-probes-and-host-lifecycle.js";
import { privileged } from "./privileged.js";
import { procMount, procMountRestricted } from "./proc-mount.js";
import { restrictedVolumes } from "./restricted-volumes.js";
import { runAsNonRoot } from "./run-as-non-root.js";
import { runAsUser } from "./run-as-user.js";
import { seLinuxOptions } from "./se-linux-options.js";
import { seccompProfileBaseline } from "./seccomp-profile-baseline.js";
import { seccompProfileRestricted } from "./seccomp-profile-restricted.js";
import { sysctls } from "./sysctls.js";
import { windowsHostProcess } from "./windows-host-process.js";

/** The controls of the pod security standards, in the order in which violations are listed: by level, then by id in byte order. */
export const controls: readonly Control[] = [
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  procMount,
  seLinuxOptions,
  seccompProfileBaseline,
  sysctls,
  windowsHostProcess,
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileRestricted,
];
