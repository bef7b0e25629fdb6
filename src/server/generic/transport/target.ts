const NO_QUERY = new URLSearchParams();

/** A request target, split into path and query; what follows a "#" was never sent. */
export class Target {
  readonly path: string;
  readonly #mark: number;
  #query: URLSearchParams | undefined;

  constructor(private readonly text: string) {
    this.#mark = text.indexOf("?");
    this.path = this.#mark < 0 ? text : text.slice(0, this.#mark);
  }

  /** Not to be changed by anybody. */
  get query(): URLSearchParams {
    if (this.#mark < 0) return NO_QUERY;
    return (this.#query ??= new URLSearchParams(this.text.slice(this.#mark + 1)));
  }
}
