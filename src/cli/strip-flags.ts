import type { FlagTable } from "../component/flags/flag-table.js";

/**
 * Returns the operands as cobra finds them before it knows the command: every flag that it does not know takes the next argument as its
 * value. So `--save-config create ns a` asks for the command "ns".
 */
export function stripFlags(argv: readonly string[], flags: FlagTable): readonly string[] {
  const operands: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") break;
    if (takesNext(argument, flags)) {
      if (index + 2 >= argv.length) break;
      index++;
    } else if (argument !== "" && !argument.startsWith("-")) {
      operands.push(argument);
    }
  }
  return operands;
}

/** Removes the first operand that equals `name` from the command line. */
export function withoutOperand(argv: readonly string[], name: string, flags: FlagTable): readonly string[] {
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") break;
    if (takesNext(argument, flags)) index++;
    else if (argument === name) return argv.toSpliced(index, 1);
  }
  return argv;
}

function takesNext(argument: string, flags: FlagTable): boolean {
  if (argument.includes("=") || !argument.startsWith("-")) return false;
  return (argument.startsWith("--") || argument.length === 2) && !flags.standsAlone(argument);
}
