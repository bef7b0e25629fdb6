import { atOnce } from "../../../base/async/steps.js";
import type { ContainerSpec } from "../../container-runtime.js";
import type { Program } from "../program.js";
import { Glob } from "../shell/expansion/glob.js";

/** A script that containers of some images run in place of the image's own programs. */
export interface ImageScript {
  /**
   * Which images they are: a pattern of the shell, whose * also matches slashes, against the name without tag and digest, or against all of
   * it where the pattern has a tag or a digest. "nginx" and "docker.io/library/nginx" are one name.
   */
  readonly image: string;
  /** What a container with this command line runs; undefined where the script does not know it. */
  start(line: CommandLine): ScriptStart | undefined;
}

/** The command line of a pod's container: a command in place of the image's entrypoint, and args. */
export type CommandLine = Required<Pick<ContainerSpec, "args">> & Pick<ContainerSpec, "command">;

export interface ScriptStart {
  /** Its arguments begin behind the program's name. */
  readonly program: Program;
  readonly argv: readonly string[];
  /** Where the program has ended with code 0, its container stands in for the image. */
  readonly standsIn?: boolean;
}

/** Finds the first script for an image that supports the container's command line. */
export function scriptStart(
  scripts: readonly ImageScript[],
  { image, command, args = [] }: Pick<ContainerSpec, "image" | "command" | "args">,
): ScriptStart | undefined {
  for (const script of scripts) {
    const found = matchesImage(script.image, image) && script.start({ ...(command && { command }), args });
    if (found) return found;
  }
  return undefined;
}

/** Whether a pattern, as {@link ImageScript.image} has it, is of an image. */
export function matchesImage(pattern: string, image: string): boolean {
  const names = namesOf(/[:@]/.test(lastPart(pattern)) ? image : withoutTag(image));
  const glob = Glob.of([{ text: pattern, quoted: false }]);
  return names.some((name) => atOnce(glob.matches(name)));
}

const lastPart = (image: string): string => image.slice(image.lastIndexOf("/") + 1);

export function withoutTag(image: string): string {
  const [tagged = ""] = image.split("@");
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  return colon < 0 ? tagged : tagged.slice(0, colon);
}

/** The ways to write a name: those of Docker's registry may leave out what is the default. */
function namesOf(image: string): readonly string[] {
  const [first = "", ...rest] = image.split("/");
  if (rest.length === 0) return [image, `docker.io/library/${image}`, `library/${image}`];
  if (first === "docker.io" || first === "index.docker.io") {
    const short = rest.join("/");
    return [image, `docker.io/${short}`, short, ...(rest[0] === "library" ? [rest.slice(1).join("/")] : [])];
  }
  return /[.:]/.test(first) || first === "localhost" ? [image] : [image, `docker.io/${image}`];
}
