import type { Scheme } from "../../machinery/scheme/scheme.js";
import { PUBLISHED } from "../conversion/published.js";
import { publishedDefinitions } from "../facts/definitions.js";
import { schemeOf } from "./register-kinds.js";

let scheme: Scheme | undefined;

/** The kinds that 1.36 publishes, at every version it can be told to serve: what a server needs. Built on first use. */
export function publishedScheme(): Scheme {
  scheme ??= schemeOf(publishedDefinitions, [PUBLISHED]);
  return scheme;
}
