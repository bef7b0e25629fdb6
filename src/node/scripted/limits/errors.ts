/** Thrown when no further program or subshell may start; the message is errno's text. */
export class ForkError extends Error {
  override readonly name = "ForkError";

  constructor() {
    super("Resource temporarily unavailable");
  }
}

/** Thrown when the container has no memory left, and is being ended. */
export class OutOfMemoryError extends Error {
  override readonly name = "OutOfMemoryError";

  constructor() {
    super("Cannot allocate memory");
  }
}
