import type { Scheme } from "../../machinery/scheme/scheme.js";
import { PUBLISHED } from "./published.js";
import { RETIRED } from "../conversion/retired.js";
import { allDefinitions } from "../facts/unpublished.js";
import { schemeOf } from "./register-kinds.js";

let scheme: Scheme | undefined;

/** Every kind at every version there is a type of, those no longer served too: what `convert` needs. Built on first use. */
export function allScheme(): Scheme {
  scheme ??= schemeOf(allDefinitions, [PUBLISHED, RETIRED]);
  return scheme;
}
