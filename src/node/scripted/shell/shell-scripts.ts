import { MissingError } from "../missing.js";
import type { ProgramIo } from "../program.js";
import { CommandError } from "./control-flow.js";
import { Parser } from "./parse/parse.js";
import { type ShellCall, ShellScope } from "./shell-scope.js";
import type { ShellState, ShellStreams } from "./shell-state.js";
import { type Command, type FunctionDefinition, ShellSyntaxError } from "./parse/syntax.js";

/** How deep scripts and functions may run in each other, by eval, ".", traps and calls. */
const MOST_NESTED = 1000;

/** What a script or a function that runs takes beside its text and its commands, in bytes: its promises. */
const RUN_BYTES = 8 * 1024;

/** What a function takes beside its body, in bytes. */
const FUNCTION_BYTES = 256;

/** What an alias takes beside its name and its value, in bytes. */
const ALIAS_BYTES = 128;

interface RunOptions {
  /** The builtin that runs the script. */
  readonly caller?: string;
  /** What the text is of, where that is a file. */
  readonly script?: string;
  /** Whether something looks at its code: then a failure in it does not end the shell. */
  readonly tested?: boolean;
  /** The line of its first line. */
  readonly firstLine?: number;
}

/** The text that a shell runs: scripts, lines of its input, and the functions and aliases that they define. */
export abstract class ScriptShell extends ShellScope {
  /** What the script takes that runs now, in bytes. */
  protected scriptBytes = 0;

  constructor(
    io: ProgramIo,
    state: ShellState,
    call: ShellCall,
    /** How many scripts and functions run in each other. */
    protected nested = 0,
  ) {
    super(io, state, call);
  }

  /** Runs a command; where `tested`, something looks at its code. */
  abstract run(command: Command, streams: ShellStreams, tested?: boolean): Promise<number>;

  /**
   * Runs a whole script to its end, line by line: what stands before a line with a syntax error runs. Throws what leaves the shell, and a
   * CommandError where `caller` nests scripts too deeply.
   */
  runScript(
    text: string,
    streams: ShellStreams,
    { caller = "", script, tested = false, firstLine = 1 }: RunOptions = {},
  ): Promise<number> {
    return this.nesting(caller, script, async () => {
      const outer = { bytes: this.scriptBytes, held: this.held };
      try {
        this.take(text.length);
        const parser = this.#parserOf(text, true, firstLine);
        let code = 0;
        for (;;) {
          const held = this.held;
          const command = await this.#nextOf(parser);
          if (command === undefined) return code;
          this.scriptBytes = this.held - outer.held;
          code = await this.run(command, streams, tested);
          this.giveBackTo(held);
        }
      } finally {
        this.scriptBytes = outer.bytes;
      }
    });
  }

  /** Runs a script or a function, of `script` where that is another one, in what runs now. Throws a CommandError where that is too deep. */
  async nesting(caller: string, script: string | undefined, body: () => Promise<number>): Promise<number> {
    if (this.nested >= MOST_NESTED)
      throw new CommandError(`${caller === "" ? "" : `${caller}: `}maximum nesting level exceeded (${MOST_NESTED})`);
    const { held, script: outer } = this;
    this.nested += 1;
    this.script = script ?? outer;
    try {
      this.take(RUN_BYTES);
      return await body();
    } finally {
      this.nested -= 1;
      this.script = outer;
      this.giveBackTo(held);
    }
  }

  #parserOf(text: string, isWhole: boolean, firstLine = 1): Parser {
    const options = {
      take: (bytes: number) => this.take(bytes),
      hasBraces: this.call.isBash,
      isWhole,
      aliases: () => this.aliases,
    };
    return new Parser(text, options, firstLine);
  }

  async #nextOf(parser: Parser): Promise<Command | undefined> {
    try {
      return await this.inSlices(parser.line());
    } catch (error) {
      if (error instanceof ShellSyntaxError) this.#reportMissing(error);
      throw error;
    }
  }

  /** A syntax that the shell does not know ends a main process that asked for it. */
  #reportMissing({ message, line, incomplete, construct }: ShellSyntaxError): void {
    if (incomplete && construct === undefined) return;
    const what = construct ?? message.replace("Syntax error: ", "");
    this.io.missing?.(new MissingError("construct", what, { script: this.script, line }));
  }

  /** The same, for what a builtin does not know. */
  lacks(construct: string): void {
    this.io.missing?.(new MissingError("construct", construct, { script: this.script, line: this.line }));
  }

  /** A file of the container's image that a script runs by ".", and that is not there. */
  lacksScript(path: string): void {
    this.io.missing?.(new MissingError("program", path, { script: this.script, line: this.line }));
  }

  /** Runs lines of the shell's input; false where more lines may make them a command. */
  async runLine(text: string, streams: ShellStreams): Promise<boolean> {
    const { held } = this;
    try {
      this.take(text.length);
      const commands = await this.#completeCommands(text);
      if (commands === undefined) return false;
      this.scriptBytes = this.held - held;
      for (const command of commands) await this.run(command, streams);
      return true;
    } finally {
      this.giveBackTo(held);
    }
  }

  async #completeCommands(text: string): Promise<readonly Command[] | undefined> {
    const commands: Command[] = [];
    const parser = this.#parserOf(text, false);
    try {
      for (let one = await this.#nextOf(parser); one !== undefined; one = await this.#nextOf(parser))
        commands.push(one);
      return commands;
    } catch (error) {
      if (error instanceof ShellSyntaxError && error.incomplete) return undefined;
      throw error;
    }
  }

  /** A function holds its body until it is defined anew or unset. */
  protected define(definition: FunctionDefinition): number {
    const { functions } = this.state;
    this.undefine(definition.name);
    this.io.memory.take(FUNCTION_BYTES + definition.bytes);
    functions.set(definition.name, { ...definition, script: this.script });
    return 0;
  }

  undefine(name: string): void {
    const known = this.state.functions.get(name);
    if (known === undefined) return;
    this.io.memory.give(FUNCTION_BYTES + known.bytes);
    this.state.functions.delete(name);
  }

  /** An alias holds its value until it is defined anew, or is no alias any more. */
  defineAlias(name: string, value: string): void {
    this.dropAlias(name);
    this.io.memory.take(aliasBytes(name, value));
    this.state.aliases.set(name, value);
  }

  /** False where the name is no alias. */
  dropAlias(name: string): boolean {
    const known = this.state.aliases.get(name);
    if (known === undefined) return false;
    this.io.memory.give(aliasBytes(name, known));
    return this.state.aliases.delete(name);
  }

  async complain(message: string, streams: ShellStreams, line: number): Promise<void> {
    await streams.stderr(Buffer.from(`${this.name}: ${line}: ${message}\n`), this.io.signal);
  }
}

export const aliasBytes = (name: string, value: string): number => ALIAS_BYTES + name.length + value.length;
