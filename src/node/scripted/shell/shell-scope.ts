import type { Steps } from "../../../base/async/steps.js";
import { MemoryShare, type ContainerMemory } from "../limits/memory-share.js";
import type { ProgramIo } from "../program.js";
import { workInSlices, type SliceOwner } from "../slices.js";
import type { ArithmeticVariables } from "./expansion/arithmetic.js";
import { FatalError, LeaveLoop, ReturnFromScript } from "./control-flow.js";
import type { ExpansionScope } from "./expansion/expansion.js";
import { Separators } from "./expansion/fields.js";
import { Jobs } from "./jobs.js";
import type { ShellState } from "./shell-state.js";
import { specialArray, specialParameter } from "./expansion/parameter-values.js";
import type { Command, ProcessPart } from "./parse/syntax.js";
import { type ShellArray, detached } from "./variables.js";
import { Pace } from "../../../base/time/pace.js";

/** How a shell was started. */
export interface ShellCall {
  /** $0. */
  readonly name: string;
  readonly interactive: boolean;
  /** Called as bash: braces in words are expanded, and echo takes backslashes as they are. */
  readonly isBash: boolean;
  /** The file of its script, or its name. */
  readonly script: string;
  /** In how many $(...) it runs. */
  readonly traceDepth: number;
}

/** The part of a shell that expansions use: its variables, parameters and options, and the memory of its commands. */
export abstract class ShellScope implements ExpansionScope {
  readonly jobs: Jobs;
  readonly locals: LocalVariables;
  /** What is held until a command has ended: its words, and the script that it is of. */
  readonly #memory: MemoryShare;
  /** The line of the command that runs now. */
  line = 1;
  /** What runs now: the shell's script, one that `.` runs, or the one that the function is of. */
  protected script: string;
  /** Where getopts is: in which argument, and at which of its letters. */
  readonly optionPlace = { argument: 1, letter: 1 };
  readonly #startedAt: number;
  #random: number;

  constructor(
    readonly io: ProgramIo,
    readonly state: ShellState,
    readonly call: ShellCall,
  ) {
    this.jobs = new Jobs(io);
    this.locals = new LocalVariables(io.memory, state);
    this.#memory = new MemoryShare(io.memory);
    this.script = call.script;
    this.#startedAt = io.clock.now();
    this.#random = (this.#startedAt ^ (io.pid * 7919)) >>> 0;
  }

  abstract output(body: Command): Promise<string>;

  abstract processPath(part: ProcessPart): string;

  get name(): string {
    return this.call.name;
  }

  get interactive(): boolean {
    return this.call.interactive;
  }

  /** The scripts that run, the innermost first. */
  get scripts(): readonly string[] {
    return [this.script];
  }

  /** How long the shell runs. */
  get seconds(): number {
    return Math.floor((this.io.clock.now() - this.#startedAt) / 1000);
  }

  /** A number from 0 to 32767, which is good for no secret. */
  random(): number {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) >>> 0;
    return (this.#random >>> 16) & 0x7fff;
  }

  get files(): ProgramIo["files"] {
    return this.io.files;
  }

  get cwd(): string {
    return this.state.cwd;
  }

  get positional(): readonly string[] {
    return this.state.positional;
  }

  get separators(): Separators {
    return Separators.of(this.state.variables.get("IFS"));
  }

  get matchesPaths(): boolean {
    return !this.state.options.has("noglob");
  }

  get dropsUnmatched(): boolean {
    return this.state.shopts.has("nullglob");
  }

  /** Undefined where commands are taken as they are written. */
  get aliases(): ReadonlyMap<string, string> | undefined {
    return this.state.shopts.has("expand_aliases") ? this.state.aliases : undefined;
  }

  get umask(): number {
    return this.state.umask;
  }

  set umask(mask: number) {
    this.state.umask = mask;
  }

  get refusesUnset(): boolean {
    return this.state.options.has("nounset");
  }

  get keepsFiles(): boolean {
    return this.state.options.has("noclobber");
  }

  get environment(): Record<string, string> {
    const { exported, variables } = this.state;
    return Object.fromEntries(
      [...exported].filter((name) => variables.has(name)).map((name) => [name, variables.get(name) ?? ""]),
    );
  }

  /** How much memory commands hold: a mark for {@link giveBackTo}. */
  get held(): number {
    return this.#memory.held;
  }

  take(bytes: number): void {
    this.#memory.take(bytes);
  }

  giveBackTo(held: number): void {
    this.#memory.giveBackTo(held);
  }

  inSlices<T>(work: Steps<T>): Promise<T> {
    return workInSlices(work, this.io);
  }

  /** In place of $1 and those that follow. */
  async setPositional(values: readonly string[]): Promise<void> {
    await this.locals.setPositional(values, this.io);
  }

  parameter(name: string): string | undefined {
    return specialParameter(name, this) ?? this.state.variables.get(name);
  }

  array(name: string): ShellArray | undefined {
    return this.state.variables.array(name) ?? specialArray(name, this);
  }

  namesFrom(prefix: string): readonly string[] {
    return [...this.state.variables.names()].filter((name) => name.startsWith(prefix)).sort();
  }

  readonly numbers: ArithmeticVariables = {
    get: (name, index) => {
      if (index === undefined) return this.parameter(name);
      return this.array(name)?.elements.get(index) ?? (index === "0" ? this.parameter(name) : undefined);
    },
    set: (name, index, value) => {
      if (index === undefined) this.assign(name, value);
      else this.assignElement(name, index, value);
    },
  };

  assign(name: string, value: string): void {
    this.refuseConstant(name);
    this.state.variables.set(name, value);
    if (this.state.options.has("allexport")) this.state.exported.add(name);
  }

  assignElement(name: string, key: string, value: string): void {
    this.refuseConstant(name);
    this.state.variables.setElement(name, key, value);
  }

  /** Throws a FatalError for a name that `readonly` has set. */
  refuseConstant(name: string): void {
    if (this.state.constants.has(name)) throw new FatalError(`${name}: is read only`);
  }
}

/** What $1 or another takes beside its text, in bytes. */
const POSITIONAL_BYTES = 256;
/** What a local variable takes beside the value that it hides, in bytes. */
const LOCAL_BYTES = 128;

/** The positional parameters and local variables of the functions that run. */
class LocalVariables {
  /** What $1 and those that follow take that were set in this shell. */
  #positionalBytes = 0;
  /** The functions that run, the innermost first. */
  readonly callers: string[] = [];

  constructor(
    private readonly memory: ContainerMemory,
    private readonly state: ShellState,
  ) {}

  get isInFunction(): boolean {
    return this.state.scopes.length > 0;
  }

  /** In place of $1 and those that follow. */
  async setPositional(values: readonly string[], owner: SliceOwner): Promise<void> {
    const { bytes, own } = await workInSlices(ownValues(values), owner);
    this.memory.take(bytes - this.#positionalBytes);
    this.#positionalBytes = bytes;
    this.state.positional = own;
  }

  /** Makes a variable local to the function that runs: its value comes back when the function ends. False outside of functions. */
  declare(name: string): boolean {
    const scope = this.state.scopes.at(-1);
    if (scope === undefined) return false;
    if (scope.has(name)) return true;
    this.memory.take(LOCAL_BYTES + (this.state.variables.get(name)?.length ?? 0));
    scope.set(name, { value: this.state.variables.saved(name), isExported: this.state.exported.has(name) });
    return true;
  }

  /** Runs a function's body with its arguments, which its caller holds. */
  async call(name: string, args: readonly string[], body: () => Promise<number>): Promise<number> {
    const { state } = this;
    const outer = { positional: state.positional, bytes: this.#positionalBytes };
    state.positional = args;
    this.#positionalBytes = 0;
    state.scopes.push(new Map());
    this.callers.unshift(name);
    try {
      return await body();
    } catch (error) {
      if (error instanceof ReturnFromScript) return error.code;
      // A loop around the call is not left.
      if (error instanceof LeaveLoop) return 0;
      throw error;
    } finally {
      this.callers.shift();
      this.#restore();
      this.memory.give(this.#positionalBytes);
      this.#positionalBytes = outer.bytes;
      state.positional = outer.positional;
    }
  }

  #restore(): void {
    const { state } = this;
    for (const [name, { value, isExported }] of state.scopes.pop() ?? []) {
      this.memory.give(LOCAL_BYTES + lengthOf(value));
      state.constants.delete(name);
      state.variables.restore(name, value);
      if (isExported) state.exported.add(name);
      else state.exported.delete(name);
    }
  }
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

/** Values without what they were cut out of, and what they take. */
function* ownValues(values: readonly string[]): Steps<{ readonly bytes: number; readonly own: readonly string[] }> {
  const pace = new Pace();
  const own: string[] = [];
  let bytes = 0;
  for (const value of values) {
    if (pace.isDue()) yield;
    bytes += POSITIONAL_BYTES + value.length;
    own.push(detached(value));
  }
  return { bytes, own };
}
