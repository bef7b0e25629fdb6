import json from "./data/unpublished.json" with { type: "json" };
import { Definitions, type DefinitionsFile, publishedDefinitions } from "./definitions.js";

/**
 * Every kind there is a type of: what 1.36 publishes, the versions it no longer serves (extensions/v1beta1, autoscaling/v2beta2),
 * and kinds that are sent but are no resource (AdmissionReview). For conversion; a server loads it only when it converts such kinds.
 */
export const allDefinitions = new Definitions(json as unknown as DefinitionsFile, publishedDefinitions);
