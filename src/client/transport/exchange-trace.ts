import type { Socket } from "node:net";

/**
 * Hears how a request gets its connection, for the log. A transport without connections calls nothing; one that takes a
 * kept connection calls only `reused`. Times are milliseconds.
 */
export interface ExchangeTrace {
  /** `socket` is about to connect to `host`, a name or an address. */
  dialing(socket: Socket, host: string, port: number): void;
  shookHands(milliseconds: number): void;
  reused(): void;
}
