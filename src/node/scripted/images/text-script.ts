import { atOnce } from "../../../base/async/steps.js";
import { Parser } from "../shell/parse/parse.js";
import { sh } from "../shell/sh.js";
import { ShellSyntaxError } from "../shell/parse/syntax.js";
import type { ImageScript } from "./image-script.js";

/** A script of the small shell that a user runs in containers of some images. */
export interface ImageScriptText {
  /** As {@link ImageScript.image}. */
  readonly image: string;
  /**
   * Runs in place of what the image would run, with the command and args that the pod names as its parameters. Where it needs what the
   * container has not, the container stands in from there.
   */
  readonly script: string;
}

export const textScript = ({ image, script }: ImageScriptText): ImageScript => ({
  image,
  start: ({ command = [], args }) => ({ program: sh, argv: ["sh", "-c", script, "sh", ...command, ...args] }),
});

/** The first syntax error of a script, with its line; undefined for a valid script. */
export function scriptFault(script: string): { readonly line: number; readonly message: string } | undefined {
  const parser = new Parser(script, { take: () => {}, hasBraces: false, isWhole: true, aliases: () => undefined });
  try {
    while (atOnce(parser.line()) !== undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    const { line, construct } = error;
    return { line, message: construct === undefined ? error.message : `${construct}: not supported` };
  }
}
