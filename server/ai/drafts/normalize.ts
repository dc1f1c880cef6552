/** A word as it is compared: lower case, Latin letters without accents. */
export function normalize(text: string): string {
  const lower = text.toLowerCase().trim()
  if (!/\p{Script=Latin}/u.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ß', 'ss')
}
