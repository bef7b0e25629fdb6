import { Fifo } from "../../../base/collections/fifo.js";
import { Pace } from "../../../base/time/pace.js";
import type { Steps } from "../../../base/async/steps.js";
import { holdsMany } from "../../meta/holds-many.js";
import { encodeJson, encodeString } from "./json-encoder.js";

/** Characters of all shared texts together, and of one at most. */
const CAPACITY = 2 ** 20;
const LONGEST = 8192;

const texts = new WeakMap<object, string>();
const shared = new Map<string, object>();
const order = new Fifo<string>();
let held = 0;

/**
 * fieldsV1 that has the same text: most objects of a kind are written by the same fields, so that they share the value and
 * it is made text once. Callers must not change it any more.
 */
export function shareFieldsV1<T extends object>(value: T): T {
  if (texts.has(value)) return value;
  const text = write(value);
  if (text.length > LONGEST) return value;
  const same = shared.get(text);
  if (same !== undefined) return same as T;
  texts.set(value, text);
  shared.set(text, value);
  order.push(text);
  for (held += text.length; held > CAPACITY; ) {
    const oldest = order.shift() ?? "";
    shared.delete(oldest);
    held -= oldest.length;
  }
  return value;
}

/** Whether the value came from {@link shareFieldsV1}. */
export const isShared = (value: object): boolean => texts.has(value);

/** Encodes fieldsV1 as Go does. */
export const fieldsV1Text = (value: object): string => texts.get(value) ?? write(value);

/** {@link fieldsV1Text} in steps. */
export function* fieldsV1TextSteps(value: object, pace = new Pace()): Steps<string> {
  if (!holdsMany(value)) return fieldsV1Text(value);
  const parts: string[] = [];
  // Most steps have one shared empty node, which is found to be empty once.
  let leaf: object | undefined;
  for (const element of Object.keys(value)) {
    if (pace.isDue()) yield;
    const node = (value as Readonly<Record<string, unknown>>)[element];
    if (typeof node !== "object" || node === null) parts.push(`${encodeString(element)}:${encodeJson(node)}`);
    else if (node === leaf || isEmpty(node)) {
      leaf = node;
      parts.push(`${encodeString(element)}:{}`);
    } else parts.push(`${encodeString(element)}:${yield* fieldsV1TextSteps(node, pace)}`);
  }
  return `{${parts.join(",")}}`;
}

function isEmpty(node: object): boolean {
  for (const _ in node) return false;
  return !Array.isArray(node);
}

/** What Go writes otherwise than JSON.stringify does: escaped characters, halves of surrogate pairs. */
const WRITTEN_OTHERWISE = /[<>&\u2028\u2029]|\\ud/;

/** It holds no numbers: written the fast way where that is Go's way. */
function write(value: object): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    // An integer too large for a number.
    return encodeJson(value);
  }
  return WRITTEN_OTHERWISE.test(text) ? encodeJson(value) : text;
}
