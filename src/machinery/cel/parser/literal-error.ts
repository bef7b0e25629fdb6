/** Cannot be read as a literal; the message is cel-go's. */
export class LiteralError extends Error {}
