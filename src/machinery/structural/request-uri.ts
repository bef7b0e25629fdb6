import { checkRequestUri, GoUrlError } from "../text/go/go-url.js";

/** Whether a text is a URI as it may stand in a request: an absolute one, a path from the root, or "*". */
export function isRequestUri(text: string): boolean {
  try {
    checkRequestUri(text);
    return true;
  } catch (error) {
    if (error instanceof GoUrlError) return false;
    throw error;
  }
}
