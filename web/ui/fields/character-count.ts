/**
 * The note of a field with a text near its limit: "212 of 200". Typing past the limit is allowed, so that nothing
 * pasted is cut off unseen; the form refuses it, the count says by how much. An emoji counts as one character.
 */
export function characterCount(text: string, limit: number): string | undefined {
  const { length } = Array.from(text.trim())
  return length < limit * 0.8 ? undefined : `${length} of ${limit}`
}
