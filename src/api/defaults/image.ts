/** "Always" for the tag `latest`, which is also the tag of an image without tag and digest. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

function imageTag(image: string): string {
  if (image === "" || /\s/.test(image) || /[A-Z]/.test(image.split(/[:@]/)[0]?.split("/").slice(1).join("/") ?? ""))
    return "";
  const [reference = "", digest] = image.split("@", 2);
  const lastPart = reference.slice(reference.lastIndexOf("/") + 1);
  const colon = lastPart.indexOf(":");
  if (colon >= 0) return lastPart.slice(colon + 1);
  return digest === undefined ? "latest" : "";
}
