/** The format of a patch. "apply" is server-side apply and needs a field manager. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

export const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
