/** Numbers of cards and books, with their check digits. Source: kube-openapi's copy of govalidator. */

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** Whatever stands between the digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CARD.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const withoutDashes = (text: string): string => text.replace(/[\t\n\f\r -]+/g, "");

export function isIsbn10(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}
