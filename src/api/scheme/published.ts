import type { Scheme } from "../../machinery/scheme/scheme.js";
import { PUBLISHED } from "../conversion/published.js";
import { facts } from "../facts/data.js";
import { publishedDefinitions } from "../facts/definitions.js";
import { schemeOf } from "./register-kinds.js";

/** Raise it when keys, defaults or conversions change what is stored although the facts do not. */
const RULES = 2;

/** Names the shape and the defaults that objects are stored with: another one, and stored objects are decoded and defaulted anew. */
export const SCHEMA_EPOCH = `${facts.digest.slice(0, 16)}-${RULES}`;

let scheme: Scheme | undefined;

/** The kinds that 1.36 publishes, at every version it can be told to serve: what a server needs. Built on first use. */
export function publishedScheme(): Scheme {
  scheme ??= schemeOf(publishedDefinitions, [PUBLISHED]);
  return scheme;
}
