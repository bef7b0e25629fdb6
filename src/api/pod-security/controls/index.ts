import type { Control } from "../control.js";
import { allowPrivilegeEscalation, privileged } from "./privileges.js";
import { appArmorProfile } from "./app-armor-profile.js";
import { capabilitiesBaseline, capabilitiesRestricted } from "./capabilities.js";
import {
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  windowsHostProcess,
} from "./host-access.js";
import { procMount, procMountRestricted } from "./proc-mount.js";
import { restrictedVolumes } from "./restricted-volumes.js";
import { runAsNonRoot, runAsUser } from "./run-as.js";
import { seLinuxOptions } from "./se-linux-options.js";
import { seccompProfileBaseline, seccompProfileRestricted } from "./seccomp-profile.js";
import { sysctls } from "./sysctls.js";

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
