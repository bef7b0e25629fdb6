/** Types of records, messages and extensions of TLS: RFC 8446, 4, 4.2 and 5.1; RFC 5077, 3.2. */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SESSION_TICKET = 35;
const PSK_KEY_EXCHANGE_MODES = 45;
const PSK_DHE_KE = 1;
const RECORD_HEADER = 5;

/**
 * Whether a client cannot use session tickets, by the first bytes of its connection: it offers neither the extension session_ticket nor the
 * key exchange psk_dhe_ke, as clients of Go without a session cache (RFC 8446, 4.2.9: no tickets are sent to those). False where the bytes
 * hold no whole ClientHello in one record.
 */
export function refusesTickets(bytes: Uint8Array): boolean {
  const extensions = extensionsOf(bytes);
  if (extensions === undefined) return false;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const value = extensions.part(2);
    if (type === undefined || value === undefined || type === SESSION_TICKET) return false;
    if (type === PSK_KEY_EXCHANGE_MODES && value.part(1)?.bytes().includes(PSK_DHE_KE) !== false) return false;
  }
  return true;
}

/** Undefined for what is no ClientHello of one record, or has no extensions. */
function extensionsOf(bytes: Uint8Array): Reader | undefined {
  if (bytes.length < RECORD_HEADER || bytes[0] !== HANDSHAKE) return undefined;
  const record = new Reader(bytes.subarray(3)).part(2);
  if (record?.number(1) !== CLIENT_HELLO) return undefined;
  const hello = record.part(3);
  // The version and 32 random bytes; then the session id, the suites and the methods of compression.
  if (hello === undefined || !hello.skip(34)) return undefined;
  for (const width of [1, 2, 1]) if (hello.part(width) === undefined) return undefined;
  return hello.part(2);
}

/** Reads numbers and parts, whose length stands before them, from bytes that a client sent. */
class Reader {
  #at = 0;

  constructor(private readonly from: Uint8Array) {}

  get left(): number {
    return this.from.length - this.#at;
  }

  bytes(): Uint8Array {
    return this.from.subarray(this.#at);
  }

  /** Undefined where there are fewer bytes; so {@link part}. */
  number(width: number): number | undefined {
    if (this.left < width) return undefined;
    let value = 0;
    for (let index = 0; index < width; index++) value = value * 256 + (this.from[this.#at++] ?? 0);
    return value;
  }

  /** `width` bytes have the length of the part. */
  part(width: number): Reader | undefined {
    const length = this.number(width);
    if (length === undefined || this.left < length) return undefined;
    this.#at += length;
    return new Reader(this.from.subarray(this.#at - length, this.#at));
  }

  skip(length: number): boolean {
    if (this.left < length) return false;
    this.#at += length;
    return true;
  }
}
