import { FileError } from "../../files/file-error.js";
import { type BuiltinCall, builtinOptions } from "./builtin.js";
import { writePieces } from "./builtin-output.js";
import { CommandError } from "../control-flow.js";
import { KEYWORDS } from "../parse/command-reader.js";
import type { Shell } from "../shell.js";

const NOT_FOUND = 127;

type Kind = "keyword" | "alias" | "function" | "builtin" | "file";

/** The meaning of a name in a shell: for a program with its path, for an alias with its value. */
export interface Named {
  readonly kind: Kind;
  readonly path: string;
}

/** Looks a name up as a command of the shell would be. */
export function lookUp(shell: Shell, name: string, isBuiltin: (name: string) => boolean): Named | undefined {
  if (KEYWORDS.has(name)) return { kind: "keyword", path: name };
  const alias = shell.aliases?.get(name);
  if (alias !== undefined) return { kind: "alias", path: alias };
  if (shell.state.functions.has(name)) return { kind: "function", path: name };
  if (isBuiltin(name)) return { kind: "builtin", path: name };
  const path = pathOf(shell, name);
  return path === undefined ? undefined : { kind: "file", path };
}

const DESCRIPTIONS: Readonly<Record<Kind, (name: string, path: string) => string>> = {
  keyword: (name) => `${name} is a shell keyword`,
  alias: (name, value) => `${name} is an alias for ${value}`,
  function: (name) => `${name} is a shell function`,
  builtin: (name) => `${name} is a shell builtin`,
  file: (name, path) => `${name} is ${path}`,
};

function describe({ call }: Shell, name: string, { kind, path }: Named): string {
  if (call.isBash && kind === "function") return `${name} is a function\n`;
  if (call.isBash && kind === "alias") return `${name} is aliased to \`${path}'\n`;
  return `${DESCRIPTIONS[kind](name, path)}\n`;
}

/** type [-t] [-p] [-P] NAME... */
export async function typeOf(call: BuiltinCall, isBuiltin: (name: string) => boolean): Promise<number> {
  const { shell, streams, args } = call;
  const { flags, operands, unknown } = builtinOptions(args, "tpPaf");
  if (unknown !== undefined) throw new CommandError(`type: ${unknown}: invalid option`, 2, `type ${unknown}`);
  let code = 0;
  for (const name of operands) {
    const path = flags.has("P") ? pathOf(shell, name) : undefined;
    const found = flags.has("P") ? path && ({ kind: "file", path } as const) : lookUp(shell, name, isBuiltin);
    if (found === undefined || found === "") {
      code = shell.call.isBash ? 1 : NOT_FOUND;
      if (!flags.has("t") && !flags.has("p") && !flags.has("P"))
        await streams.stderr(Buffer.from(`${name}: not found\n`), shell.io.signal);
    } else if (flags.has("t")) await writePieces(call, [`${found.kind}\n`]);
    else if (!flags.has("p") && !flags.has("P")) await writePieces(call, [describe(shell, name, found)]);
    else if (found.kind === "file") await writePieces(call, [`${found.path}\n`]);
  }
  return code;
}

/** hash [-r] NAME...: it remembers nothing, but fails for a name that is not a command. */
export async function hash(
  { shell, args, streams, line }: BuiltinCall,
  isBuiltin: (name: string) => boolean,
): Promise<number> {
  const { operands } = builtinOptions(args, "rlt", "pd");
  let code = 0;
  for (const name of operands) {
    if (lookUp(shell, name, isBuiltin) !== undefined) continue;
    code = 1;
    await shell.complain(`hash: ${name}: not found`, streams, line);
  }
  return code;
}

/** command -v NAME... and command -V NAME... */
export async function commandNames(
  call: BuiltinCall,
  isVerbose: boolean,
  names: readonly string[],
  isBuiltin: (name: string) => boolean,
): Promise<number> {
  const { shell, streams } = call;
  let code = 0;
  for (const name of names) {
    const found = lookUp(shell, name, isBuiltin);
    if (found !== undefined && isVerbose) await writePieces(call, [describe(shell, name, found)]);
    else if (found?.kind === "alias") await writePieces(call, [`alias ${aliasText(shell, name, found.path)}\n`]);
    else if (found !== undefined) await writePieces(call, [`${found.path}\n`]);
    else {
      code = NOT_FOUND;
      if (isVerbose) await streams.stderr(Buffer.from(`${name}: not found\n`), shell.io.signal);
    }
  }
  return code;
}

function pathOf(shell: Shell, name: string): string | undefined {
  if (name === "") return undefined;
  const folders = name.includes("/") ? [""] : (shell.parameter("PATH") ?? "/usr/bin:/bin").split(":");
  for (const folder of folders) {
    const path = folder === "" ? name : `${folder}/${name}`;
    try {
      const node = shell.files.find(path.startsWith("/") ? path : `${shell.cwd}/${path}`);
      if (node.kind === "file" && (node.program !== undefined || (node.mode & 0o111) !== 0)) return path;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
    }
  }
  return undefined;
}

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
function aliasText({ call }: Shell, name: string, value: string): string {
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
