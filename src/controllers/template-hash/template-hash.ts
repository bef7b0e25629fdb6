import type { Release } from "../../api/facts/index.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { goDump } from "./go-dump.js";

const utf8 = new TextEncoder();

/**
 * Computes the value of the label pod-template-hash exactly as Kubernetes does: controller managers of the same version find each
 * other's ReplicaSets by it. The template is as the server returns it, with defaults. The hash includes fields that are not set,
 * so that it differs between releases.
 */
export function podTemplateHash(
  template: PodTemplateSpec,
  collisionCount: number | undefined,
  release: Release,
): string {
  const schema = release.definitions.structOf("io.k8s.api.core.v1.PodTemplateSpec") as StructSchema;
  const dumped = utf8.encode(goDump(schema, template));
  return safeEncode(fnv32a(dumped, ...(collisionCount === undefined ? [] : [countBytes(collisionCount)])));
}

/** The hash in the name of a ControllerRevision: of its data's JSON and of the number of name collisions. */
export function revisionHash(data: string, collisionCount: number | undefined): string {
  return safeEncode(fnv32(utf8.encode(data), utf8.encode(collisionCount === undefined ? "" : String(collisionCount))));
}

function countBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, count, true);
  return bytes;
}

/** Without vowels and the digits 0, 1 and 3, so that no word comes out. */
const SAFE = "bcdfghjklmnpqrstvwxz2456789";

/** The number's decimal text with other characters. */
function safeEncode(number: number): string {
  return [...utf8.encode(String(number))].map((code) => SAFE[code % SAFE.length]).join("");
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a of 32 bits, as Go's fnv.New32a. */
function fnv32a(...parts: readonly Uint8Array[]): number {
  let hash = OFFSET;
  for (const part of parts) for (const byte of part) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** FNV-1 of 32 bits, as Go's fnv.New32. */
function fnv32(...parts: readonly Uint8Array[]): number {
  let hash = OFFSET;
  for (const part of parts) for (const byte of part) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

const OFFSET_128 = 0x6c62272e07bb014262b821756295c58dn;
const PRIME_128 = 0x0000000001000000000000000000013bn;

/** Computes the FNV-1a hash of 128 bits. */
export function fnv128a(bytes: Uint8Array): bigint {
  let hash = OFFSET_128;
  for (const byte of bytes) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME_128);
  return hash;
}
