import { Pace } from "../../../base/time/pace.js";
import type { Steps } from "../../../base/async/steps.js";
import type { ContainerMemory } from "../limits/memory-share.js";
import { type SliceOwner, workInSlices } from "../slices.js";
import { LeaveLoop, ReturnFromScript } from "./control-flow.js";
import type { ShellState } from "./shell-state.js";
import { detached } from "./variables.js";

/** What $1 or another takes beside its text, in bytes. */
const POSITIONAL_BYTES = 256;
/** What a local variable takes beside the value that it hides, in bytes. */
const LOCAL_BYTES = 128;

/** The positional parameters and local variables of the functions that run. */
export class LocalVariables {
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
