import type { Socket } from "node:net";

/**
 * Records how a transport gets the connection of a request, for the log. The transport calls only `reused` for a connection
 * from its pool, and nothing where it has no connections. Times are milliseconds.
 */
export interface ExchangeTrace {
  /** Called before `socket` connects to `host`, a name or an address. */
  dialing(socket: Socket, host: string, port: number): void;
  shookHands(milliseconds: number): void;
  reused(): void;
}
