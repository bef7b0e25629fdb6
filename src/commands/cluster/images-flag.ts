import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** --images: what becomes of containers whose programs are not there. */
export const imagesFlag: FlagSpec = {
  name: "images",
  type: "string",
  default: "stand-in",
  usage:
    "What a container does whose program is not there, for this start: with stand-in it starts, says so in its log, answers on its ports and passes its probes; with strict it cannot start. A pod's annotation kubets.dev/images comes first.",
};

/** Whether containers stand in for their images. Throws a usage error for anything else. */
export function standInOf(invocation: Invocation): boolean {
  const images = invocation.flags.string("images");
  if (images === "stand-in" || images === "strict") return images === "stand-in";
  throw usageError(invocation, `invalid --images ${JSON.stringify(images)}: use stand-in or strict`);
}

/** --image-scripts: what containers of some images run. */
export const imageScriptsFlag: FlagSpec = {
  name: "image-scripts",
  type: "string",
  default: "",
  usage:
    'A YAML file that says what containers of some images run, for this start: a list of {image: "registry.example.com/tools/*", script: "echo hello"}. image is a pattern of names, script is text of the small shell, which gets the command and args of the pod as its parameters. The first entry that fits counts.',
};

/** The absolute path of the file; undefined where the flag is not given. */
export function imageScriptsOf({ cwd }: Factory, { flags }: Invocation): string | undefined {
  const file = flags.string("image-scripts");
  return file === "" ? undefined : resolve(cwd, file);
}
