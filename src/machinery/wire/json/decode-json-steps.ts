import type { Steps } from "../../../base/async/steps.js";
import { exactJsonSteps } from "./exact-json.js";
import { type DecodedJson, decodeJson } from "./json-decoder.js";

/** What JSON.parse reads within a few milliseconds. */
const LONG_BYTES = 64 * 1024;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** {@link decodeJson} in steps: JSON.parse cannot pause, so the parser that can reads a long text. */
export function* decodeJsonSteps(data: Uint8Array, { maxDepth }: { readonly maxDepth: number }): Steps<DecodedJson> {
  if (data.length < LONG_BYTES) return decodeJson(data, { maxDepth });
  return yield* exactJsonSteps(utf8.decode(data), maxDepth);
}
