/** Returns the message of an error, and the text of any other thrown value. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
