import type { FlagSpec } from "../../component/flags/flag-set.js";
import { DETACH_KEYS } from "./detach-keys.js";

// Flags that the commands share that enter containers.

export const podRunningTimeoutFlag: FlagSpec = {
  name: "pod-running-timeout",
  type: "duration",
  default: "1m0s",
  usage: "How long to wait until there is a pod that runs, with a unit (5s, 2m, 3h); more than zero",
};

export const containerFlag: FlagSpec = {
  name: "container",
  short: "c",
  type: "string",
  usage:
    "The container. Default: the one that the pod's annotation kubectl.kubernetes.io/default-container names, or the first",
};

export const sessionFlags: readonly FlagSpec[] = [
  { name: "stdin", short: "i", type: "bool", usage: "Pass stdin on to the container" },
  { name: "tty", short: "t", type: "bool", usage: "stdin is a terminal" },
  { name: "quiet", short: "q", type: "bool", usage: "Print nothing but what the program in the container does" },
];

export const detachKeysFlag: FlagSpec = {
  name: "detach-keys",
  type: "string",
  default: DETACH_KEYS,
  usage: "Keys that leave the container one is attached to",
};
