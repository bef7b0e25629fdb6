/**
 * Milliseconds that tests wait for what must come, wherever they wait: many times what it takes on a machine with other work. Only
 * what fails waits so long.
 */
export const PATIENCE = 120_000;

/** Milliseconds that a test or a hook may take, so that a wait inside of it ends first and says what did not come. */
export const LONGEST_TEST = 300_000;
