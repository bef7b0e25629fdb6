import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";

/** RBAC names are anything that can be part of a path. */
export const RBAC_RULES: Strategy = { validateName: pathSegmentErrors, allowCreateOnUpdate: true };
