/**
 * Why the signal of a request aborts that is over. One for all of them: every new exception records where it was made, which takes longer than the
 * rest of the end of a request.
 */
export const REQUEST_IS_OVER = new DOMException("This operation was aborted", "AbortError");
