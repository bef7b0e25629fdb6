const NO_QUERY = new URLSearchParams();

/** A request target, split into path and query. A fragment after "#" is dropped. */
export class RequestTarget {
  readonly path: string;
  readonly #mark: number;
  #query: URLSearchParams | undefined;

  constructor(readonly text: string) {
    this.#mark = text.indexOf("?");
    this.path = this.#mark < 0 ? text : text.slice(0, this.#mark);
  }

  /** Shared and read-only. */
  get query(): URLSearchParams {
    if (this.#mark < 0) return NO_QUERY;
    return (this.#query ??= new URLSearchParams(this.text.slice(this.#mark + 1)));
  }
}
