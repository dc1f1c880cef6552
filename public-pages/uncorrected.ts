/** Attributes of a field for a code or an address: phones leave the text as typed. */
export const uncorrected = {
  autoCapitalize: 'off',
  autoCorrect: 'off',
  spellCheck: false,
} as const
