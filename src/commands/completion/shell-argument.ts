import { posix } from "node:path";
import { completeWords } from "../../cli/completion/resource-completers.js";
import { NO_FILE_COMP } from "../../cli/completion/directive.js";
import type { Completer, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { type Shell, SHELLS } from "./completion-script.js";

const CHOICES = SHELLS.join(", ");

/** The shell that the operand names; without one the user's login shell ($SHELL), on Windows PowerShell. */
export function shellToChange(invocation: Invocation, { env, platform }: Pick<Factory, "env" | "platform">): Shell {
  const [given, ...more] = invocation.args;
  if (more.length > 0) throw usageError(invocation, "Too many arguments. Expected only the shell type.");
  if (given !== undefined) {
    return (
      shellNamed(given) ?? fail(invocation, `Unsupported shell type ${JSON.stringify(given)}: give one of ${CHOICES}.`)
    );
  }
  if (platform === "win32") return "powershell";
  const login = env["SHELL"] ?? "";
  const reason = login === "" ? "$SHELL is not set" : `$SHELL is ${JSON.stringify(login)}`;
  const name = posix.basename(login);
  return (
    shellNamed(name === "pwsh" ? "powershell" : name) ??
    fail(invocation, `Shell not specified, and ${reason}: give one of ${CHOICES}.`)
  );
}

function shellNamed(name: string): Shell | undefined {
  return SHELLS.find((shell) => shell === name);
}

function fail(invocation: Invocation, message: string): never {
  throw usageError(invocation, message);
}

export const completeShells: Completer = (factory, invocation, toComplete) =>
  invocation.args.length === 0
    ? completeWords(SHELLS)(factory, invocation, toComplete)
    : Promise.resolve({ candidates: [], directive: NO_FILE_COMP });
