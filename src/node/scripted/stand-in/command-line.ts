import type { ContainerSpec } from "../../container-runtime.js";
import { withoutTag } from "../images/image-script.js";

/** Images without an entrypoint: what a pod gives as args is their command line. */
const WITHOUT_ENTRYPOINT = new Set([
  "almalinux",
  "alpine",
  "amazonlinux",
  "archlinux",
  "busybox",
  "centos",
  "debian",
  "fedora",
  "opensuse",
  "oraclelinux",
  "rockylinux",
  "toybox",
  "ubuntu",
]);
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/;

/**
 * The command line of a container whose image is unknown; undefined where the image's own entrypoint decides. A pod's command is one. Its
 * args alone are one for an image without an entrypoint or of Docker's own library, whose entrypoints run a program that they are given,
 * and where they call a shell; and for every image that nothing may stand in for.
 */
export function commandLineOf(
  { image, command, args = [] }: ContainerSpec,
  mayStandIn: boolean,
): readonly string[] | undefined {
  if (command !== undefined) return [...command, ...args];
  const [first = ""] = args;
  if (first === "") return undefined;
  if (!mayStandIn) return args;
  const name = withoutTag(image);
  const ofLibrary = /^(?:(?:(?:index\.)?docker\.io\/)?library\/|docker\.io\/)?[^/]+$/.test(name);
  const isCommand = ofLibrary || WITHOUT_ENTRYPOINT.has(name.split("/").at(-1) ?? "") || SHELL.test(first);
  return isCommand ? args : undefined;
}
