import { parseQuantity, quantityToNumber } from "../machinery/text/quantity/quantity.js";

/**
 * The number that a quantity stands for: 0.25 for "250m", 1073741824 for "1Gi", 2 for 2. Rounded to what a double holds. Throws
 * where it is no quantity, with Kubernetes' message.
 */
export const quantityAsNumber = (quantity: string | number): number => quantityToNumber(parseQuantity(quantity));
