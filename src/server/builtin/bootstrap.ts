export { bootstrapObjects } from "../../api/bootstrap/index.js";
