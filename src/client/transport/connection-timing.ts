import { isIP, type Socket } from "node:net";
import { startStopwatch } from "../../base/time/stopwatch.js";
import type { LogValues, VerboseLog } from "../klog.js";
import type { ExchangeTrace } from "./exchange-trace.js";
import { goNetworkReason } from "./go-network-error.js";

const LOOKED_UP = "round_trippers.go:547";
const DIAL_FAILED = "round_trippers.go:560";
const DIALED = "round_trippers.go:562";

/** Logs the steps of an exchange's connection as they happen, and keeps their times for the line at its end. */
export class ConnectionTiming implements ExchangeTrace {
  readonly #elapsed = startStopwatch();
  #dns = 0;
  #dial = 0;
  #handshake = 0;
  #reusedAfter: number | undefined;
  #connectedAfter: number | undefined;

  constructor(private readonly log: VerboseLog) {}

  dialing(socket: Socket, host: string, port: number): void {
    const start = this.#elapsed();
    let addresses: string[] = [];
    let dialing = start;
    let tried = false;
    const lookedUp = (): void => {
      if (addresses.length === 0) return;
      dialing = this.#elapsed();
      this.#dns = dialing - start;
      const address = addresses.map((ip) => ({ IP: ip, Zone: "" }));
      this.log.structured(9, LOOKED_UP, "HTTP Trace: DNS Lookup resolved", { host, address });
      addresses = [];
    };
    const dialed = (ip: string, error?: unknown): void => {
      tried = true;
      this.#dial = this.#elapsed() - dialing;
      this.#dialed(isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`, error);
    };
    // The socket emits a lookup event for each address of a name, before it tries the first.
    socket.on("lookup", (error: unknown, address: string) => {
      if (!error && isIP(host) === 0) addresses.push(address);
    });
    socket.on("connectionAttempt", lookedUp);
    socket.on("connectionAttemptFailed", (ip: string, _port: number, _family: number, error: unknown) =>
      dialed(ip, error),
    );
    socket.once("connect", () => dialed(socket.remoteAddress ?? host));
    socket.once("error", (error: Error & { readonly address?: string }) => {
      lookedUp();
      if (!tried && error.address !== undefined) dialed(error.address, error);
    });
  }

  shookHands(milliseconds: number): void {
    this.#handshake = milliseconds;
    this.#connectedAfter = this.#elapsed();
  }

  reused(): void {
    this.#reusedAfter = this.#elapsed();
  }

  /** The times in client-go's order. An answer from a cache has no connection and no processing time of a server. */
  values(answered: boolean): LogValues {
    const connection =
      this.#reusedAfter === undefined
        ? {
            dnsLookupMilliseconds: Math.floor(this.#dns),
            dialMilliseconds: Math.floor(this.#dial),
            tlsHandshakeMilliseconds: Math.floor(this.#handshake),
          }
        : { getConnectionMilliseconds: Math.floor(this.#reusedAfter) };
    const sent = this.#reusedAfter ?? this.#connectedAfter;
    if (!answered || sent === undefined) return connection;
    return { ...connection, serverProcessingMilliseconds: Math.floor(this.#elapsed() - sent) };
  }

  #dialed(address: string, error: unknown): void {
    const values = { network: "tcp", address };
    if (error !== undefined) {
      this.log.structured(9, DIAL_FAILED, "HTTP Trace: Dial failed", { ...values, err: goNetworkReason(error) });
      return;
    }
    this.#connectedAfter = this.#elapsed();
    this.log.structured(9, DIALED, "HTTP Trace: Dial succeed", values);
  }
}
