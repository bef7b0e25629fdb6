/**
 * Hears how a request gets its connection, for the log. A transport without connections calls nothing; one that takes a
 * kept connection calls only `reused`. Times are milliseconds.
 */
export interface ExchangeTrace {
  /** Names only: an address is not looked up. */
  lookedUp(host: string, addresses: readonly string[], milliseconds: number): void;
  /** `address` is "127.0.0.1:6443"; `error` is worded as Go words it. Called once for each address that was tried. */
  dialed(address: string, milliseconds: number, error?: string): void;
  shookHands(milliseconds: number): void;
  reused(): void;
}
