import { type BuiltinCall, builtinOptions } from "./builtins/builtin.js";
import { writePieces } from "./builtins/builtin-output.js";
import { CommandError } from "./control-flow.js";
import type { Shell } from "./shell.js";

/** alias [-p] [NAME[=VALUE]...] */
export async function alias(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const { flags, operands, unknown } = builtinOptions(args, "p");
  if (unknown !== undefined) throw new CommandError(`alias: ${unknown}: invalid option`, 2);
  if (operands.length === 0 || flags.has("p")) await writePieces(call, listing(shell));
  let code = 0;
  for (const operand of operands) {
    const [, name = operand, value] = /^(.[^=]*)=([^]*)$/s.exec(operand) ?? [];
    if (value === undefined) code = (await show(call, name)) ? code : 1;
    else if (/[\s/$`'"\\;&|<>()]/.test(name)) {
      code = 1;
      await shell.complain(`alias: \`${name}': invalid alias name`, call.streams, call.line);
    } else shell.defineAlias(name, value);
  }
  return code;
}

/** unalias [-a] [NAME...] */
export async function unalias({ shell, args, streams, line }: BuiltinCall): Promise<number> {
  const { flags, operands, unknown } = builtinOptions(args, "a");
  if (unknown !== undefined) throw new CommandError(`unalias: ${unknown}: invalid option`, 2);
  if (flags.has("a")) for (const name of shell.state.aliases.keys()) shell.dropAlias(name);
  let code = 0;
  for (const name of operands) {
    if (shell.dropAlias(name)) continue;
    code = 1;
    await shell.complain(`unalias: ${name} not found`, streams, line);
  }
  return code;
}

/** An alias as the shell reads it again. */
export function aliasText({ call }: Shell, name: string, value: string): string {
  return `${name}='${value.replaceAll("'", call.isBash ? `'\\''` : `'"'"'`)}'`;
}

/** dash lists them without the command that defines them. */
const shown = (shell: Shell, name: string, value: string): string =>
  `${shell.call.isBash ? "alias " : ""}${aliasText(shell, name, value)}\n`;

function* listing(shell: Shell): Generator<string, void> {
  for (const name of [...shell.state.aliases.keys()].sort())
    yield shown(shell, name, shell.state.aliases.get(name) ?? "");
}

async function show(call: BuiltinCall, name: string): Promise<boolean> {
  const { shell, streams, line } = call;
  const value = shell.state.aliases.get(name);
  if (value === undefined) await shell.complain(`alias: ${name} not found`, streams, line);
  else await writePieces(call, [shown(shell, name, value)]);
  return value !== undefined;
}
