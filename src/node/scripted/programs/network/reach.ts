import type { Duplex } from "node:stream";
import { standInAt } from "../../../../machinery/wire/streams/stand-in-end.js";
import { ConnectError, ForeignHostError } from "../../../network/pod-network.js";
import type { ProgramIo } from "../../program.js";

/** A connection to a host of the cluster. */
export interface Reached {
  readonly connection: Duplex;
  readonly address: string;
  /** What only stands in for a program at the other end, as a phrase. */
  readonly standIn: string | undefined;
}

/**
 * Connects to a host by name or address, to the first of its addresses that takes the connection. `onAddress` is called before each try. Rejects
 * as {@link ContainerNetwork.lookup} and {@link ContainerNetwork.connect} do.
 */
export async function reach(
  io: ProgramIo,
  host: string,
  port: number,
  options: { readonly signal?: AbortSignal; readonly onAddress?: (address: string) => void | Promise<void> } = {},
): Promise<Reached> {
  const { addresses } = await io.network.lookup(host);
  let failure: unknown = new ConnectError("No route to host");
  for (const address of addresses) {
    await options.onAddress?.(address);
    options.signal?.throwIfAborted();
    try {
      const connection = await io.network.connect(address, port, options.signal);
      return { connection, address, standIn: standInAt(connection) };
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/**
 * Whether a program in a script goes on as if a host outside of the cluster had given it an empty answer: no program of a container dials
 * outside, and a script should come as far as it can. The container's log says so. In `exec` and at a prompt the host is a bad address.
 */
export function standsInFor(io: ProgramIo, error: unknown, what: string): boolean {
  if (!(error instanceof ForeignHostError) || io.missing === undefined) return false;
  io.container.note(`${io.name} stands in for ${what}: programs of pods reach nothing outside of the cluster`);
  return true;
}

/** Makes an AbortSignal of a time limit by the container's clock, in seconds; 0 and undefined set none. `cancel` stops the timer. */
export function timeLimit(
  io: ProgramIo,
  seconds: number | undefined,
): { readonly signal: AbortSignal; cancel(): void } {
  const limit = new AbortController();
  const cancel =
    seconds === undefined || seconds <= 0
      ? () => {}
      : io.timers.start(seconds * 1000, () => limit.abort(new TimeLimitError()));
  return { signal: limit.signal, cancel };
}

/** Thrown when the time limit of a program has passed. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}
