/** More turns of the event loop than a chain of callbacks takes that waits for no timer and no socket, also on a busy machine. */
const TURNS = 25;

/** Lets everything happen that waits for no timer and no socket. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
}
