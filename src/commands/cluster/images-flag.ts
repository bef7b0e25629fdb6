import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";

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
