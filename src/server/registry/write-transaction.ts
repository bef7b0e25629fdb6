import { type CancellationToken, REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { TooLargeError } from "../storage/kv.js";
import type { AdmitCreate } from "./resource.js";
import type { RequestScope } from "./scope.js";
import type { Allocation } from "./strategy.js";

/** The steps that turn a draft into an object which may be stored, in running order. A step throws to reject the write. */
export interface WriteSteps {
  /** Mutating admission, and the checks of what it leaves: the caller's rights, preconditions. */
  mutate(): Promise<void>;
  /** Completes the draft: system metadata, the strategy's preparation, defaults. */
  complete(): Promise<void>;
  /** Reserves what two objects cannot share. */
  allocate(): Promise<Allocation | undefined>;
  /** Validation, then validating admission. */
  validate(): Promise<void>;
}

/** The result of a write. */
export interface WriteOutcome<T> {
  /** Whether the object is stored once the write has succeeded: an update may have removed it. Default: it is. */
  readonly isStored?: (result: T) => boolean;
  /** Whether the storage rejects the object before it writes, whatever the error. Default: it does not. */
  readonly isNeverWritten?: () => boolean;
}

/**
 * One write of one object: from the draft to what became of it. It owns what the write reserves, and tells admission when the write is settled.
 *
 * {@link prepare} runs the steps, once for each attempt: an attempt that follows a conflict first gives back what the one before it reserved.
 * {@link run} commits what is reserved when the object is stored, and reverts it when it is known that it is not. When the storage fails
 * without an answer, neither happens, and admission is not told: a repair controller releases what no object uses.
 */
export class WriteTransaction {
  /** Cancels the write with its request. Once a plugin has charged somebody for the object, only the end of the sender's rights does. */
  readonly token: CancellationToken | undefined;
  #allocation: Allocation | undefined;
  /** The storage may have been asked to write. */
  #isWriting = false;

  constructor(
    scope: Pick<RequestScope, "token">,
    private readonly admit: Pick<AdmitCreate, "settled" | "isCharged">,
  ) {
    this.token = untilCharged(scope, admit);
  }

  /** Makes the draft of an attempt ready to be stored. Rejects with the refusal of `begin` or of a step; nothing is reserved then. */
  async prepare(begin: () => WriteSteps | Promise<WriteSteps>): Promise<void> {
    this.#isWriting = false;
    await this.#revert();
    const steps = await begin();
    await steps.mutate();
    await steps.complete();
    this.#allocation = await steps.allocate();
    try {
      await steps.validate();
    } catch (error) {
      await this.#revert();
      throw error;
    }
    this.#isWriting = true;
  }

  /** Awaits `write`, which prepares the draft and hands it to the storage, and ends the transaction by what it settles as. */
  async run<T>(write: () => Promise<T>, { isStored, isNeverWritten }: WriteOutcome<T> = {}): Promise<T> {
    let result: T;
    try {
      result = await write();
    } catch (error) {
      if (!this.#isWriting || isRefusal(error) || isNeverWritten?.() === true) {
        await this.#revert();
        this.admit.settled?.();
      }
      throw error;
    }
    this.admit.settled?.();
    if (isStored?.(result) === false) await this.#revert();
    else await this.#commit();
    return result;
  }

  async #commit(): Promise<void> {
    const allocation = this.#allocation;
    this.#allocation = undefined;
    await allocation?.commit();
  }

  async #revert(): Promise<void> {
    const allocation = this.#allocation;
    this.#allocation = undefined;
    await allocation?.revert();
  }
}

/**
 * The API rejected the request, it was cancelled, or its object is too large, so nothing was written. After another storage error that is not
 * known.
 */
const isRefusal = (error: unknown): boolean =>
  error === REQUEST_IS_OVER || error instanceof TooLargeError || (isStatusError(error) && error.status.code < 500);

function untilCharged(
  { token }: Pick<RequestScope, "token">,
  { isCharged }: Pick<AdmitCreate, "isCharged">,
): CancellationToken | undefined {
  if (token === undefined || isCharged === undefined) return token;
  return {
    get isCancelled() {
      return token.isRevoked === true || (token.isCancelled && !isCharged());
    },
    get signal() {
      return token.signal;
    },
  };
}
