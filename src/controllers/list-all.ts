import type { KubeList, KubeObject } from "../machinery/meta/object.js";
import type { Api } from "./api.js";

const PAGE = 500;

/** A collection as it stood at one time, page by page, so that none of it is held longer than it is looked at. */
export async function* pagesOf(api: Api, path: string, accept?: string): AsyncGenerator<KubeList> {
  const joint = path.includes("?") ? "&" : "?";
  let token = "";
  do {
    const rest = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
    const page = await api.list(`${path}${joint}limit=${PAGE}${rest}`, accept);
    yield page;
    token = page.metadata.continue ?? "";
  } while (token !== "");
}

/** The objects of {@link pagesOf}. */
export async function* listAll(api: Api, path: string): AsyncGenerator<KubeObject> {
  for await (const { items } of pagesOf(api, path)) yield* items;
}
