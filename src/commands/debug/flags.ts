import { pairsOfType } from "../../component/flags/pairs.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

const keep = (name: string, what: string): FlagSpec => ({
  name: `keep-${name}`,
  type: "bool",
  usage: `With --copy-to: the copy has the pod's ${what}`,
});

export const debugFlags: readonly FlagSpec[] = [
  { name: "filename", short: "f", type: "stringSlice", usage: "File or URL that names what is debugged" },
  { name: "arguments-only", type: "bool", usage: "What follows -- are arguments of the image's own command" },
  {
    name: "attach",
    type: "bool",
    usage: "Wait until the container runs and attach to it. The default with --stdin",
  },
  { name: "container", short: "c", type: "string", usage: "Name of the debug container" },
  { name: "copy-to", type: "string", usage: "Make a copy of the pod, with this name" },
  { name: "replace", type: "bool", usage: "With --copy-to: delete the pod that is copied" },
  { name: "env", ...pairsOfType("stringToString"), usage: "A variable of the container's environment: key=value" },
  { name: "image", type: "string", usage: "Image of the debug container" },
  keep("labels", "labels"),
  keep("annotations", "annotations"),
  keep("liveness", "liveness probes"),
  keep("readiness", "readiness probes"),
  keep("startup", "startup probes"),
  {
    name: "keep-init-containers",
    type: "bool",
    default: "true",
    usage: "With --copy-to: the copy runs the pod's init containers",
  },
  {
    name: "set-image",
    ...pairsOfType("stringToString"),
    usage: "With --copy-to: other images, container=image; * is all containers",
  },
  { name: "image-pull-policy", type: "string", usage: "When the image is pulled: Always, IfNotPresent or Never" },
  { name: "stdin", short: "i", type: "bool", usage: "Keep the container's stdin open" },
  { name: "quiet", short: "q", type: "bool", usage: "Print nothing but what the program in the container does" },
  { name: "same-node", type: "bool", usage: "With --copy-to: the copy runs on the pod's node" },
  {
    name: "share-processes",
    type: "bool",
    default: "true",
    usage: "With --copy-to: the containers of the copy see each other's processes",
  },
  { name: "target", type: "string", usage: "The container whose processes an ephemeral container sees" },
  { name: "tty", short: "t", type: "bool", usage: "Give the container a terminal" },
  {
    name: "profile",
    type: "string",
    default: "general",
    usage: 'What the container may do: "general", "baseline", "restricted", "netadmin" or "sysadmin"',
  },
  {
    name: "custom",
    type: "string",
    usage: "JSON or YAML file with fields of a container, which the debug container gets",
  },
];
