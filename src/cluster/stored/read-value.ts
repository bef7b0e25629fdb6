import { isProtobufDocument } from "../../machinery/wire/protobuf/envelope.js";

import { isEncrypted } from "../../server/storage/encryption/transformer.js";

const SLASH = 0x2f;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

/**
 * Finds the stored value in the output of a tool: etcdctl prints the key above the value and a newline after it, psql and sqlite3
 * print hexadecimal digits, `etcdctl -w json` base64. Returns any other input unchanged.
 */
export function readValue(input: Uint8Array): Uint8Array {
  const { value } = splitKey(input);
  if (isValue(value)) return value;
  const text = Buffer.from(value).toString("latin1").trim();
  const hex = /^(?:\\x|0x|x')?((?:[0-9a-f]{2})+)'?$/i.exec(text)?.[1];
  const candidates = [
    ...(hex === undefined ? [] : [Buffer.from(hex, "hex")]),
    ...(/^[A-Za-z0-9+/\s]+={0,2}$/.test(text) ? [Buffer.from(text, "base64")] : []),
  ];
  return candidates.find(isValue) ?? value;
}

/** The key that etcdctl printed above the value; "" without one. */
export const readKey = (input: Uint8Array): string => splitKey(input).key;

const isValue = (bytes: Uint8Array): boolean => isProtobufDocument(bytes) || bytes[0] === BRACE || isEncrypted(bytes);

function splitKey(input: Uint8Array): { readonly key: string; readonly value: Uint8Array } {
  const end = input[0] === SLASH ? input.indexOf(NEWLINE) : -1;
  return { key: Buffer.from(input.subarray(0, Math.max(0, end))).toString(), value: input.subarray(end + 1) };
}
