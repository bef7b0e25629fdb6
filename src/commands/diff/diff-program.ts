import { goQuote } from "../../base/text/go-quote.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, ProgramEnd } from "../../cli/connect/factory.js";

export interface DiffProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The user did not choose it: when it is not there, {@link compareFolders} stands in. */
  readonly isDefault: boolean;
}

/** What KUBECTL_EXTERNAL_DIFF says; of its words only those of letters, digits, `-` and `=` are passed on. */
function diffProgram(chosen: string | undefined, from: string, to: string): DiffProgram {
  if (chosen === undefined || chosen === "") return { file: "diff", args: ["-u", "-N", from, to], isDefault: true };
  const [file = "", ...flags] = chosen.split(" ");
  return { file, args: [from, to, ...flags.filter((flag) => /^[a-zA-Z0-9-=]+$/.test(flag))], isDefault: false };
}

/** Shows how two folders differ. Throws a silent exit with 1 when they do, and an error when the program fails. */
export async function showDifference(
  from: string,
  to: string,
  { env, runProgram, streams, look: { paint } }: Pick<Factory, "env" | "runProgram" | "streams" | "look">,
): Promise<void> {
  const { file, args, isDefault } = diffProgram(env["KUBECTL_EXTERNAL_DIFF"], from, to);
  const compare = async (): Promise<ProgramEnd> => {
    const { compareFolders } = await import("./compare-folders.js");
    const text = await compareFolders(from, to);
    if (text !== "") streams.out.write(paint?.diff(text) ?? text);
    return { code: text === "" ? 0 : 1 };
  };
  // Not every diff knows colours; a program that the user chose sees for itself where it writes.
  const end =
    isDefault && paint !== undefined
      ? await compare()
      : await runProgram(file, args).catch(() => {
          if (isDefault) return compare();
          throw new Error(`failed to run ${goQuote(file)}: executable file not found in $PATH`);
        });
  if (end.code > 1) throw new Error(`failed to run ${goQuote(file)}: exit status ${end.code}`);
  if (end.code !== 0) throw silentExit(1);
}
