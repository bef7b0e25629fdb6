import { UnavailableError } from "./kv.js";

/**
 * The value of a key that is there and cannot be read: whoever asks for its object gets the problem as an error with code 500, and
 * nobody takes the object for absent.
 */
export class UnreadableValue extends Uint8Array {
  constructor(readonly problem: string) {
    super(0);
  }
}

/** The error for who asks for such an object. */
export const unreadable = ({ problem }: UnreadableValue): UnavailableError => new UnavailableError(problem, "not-done");
