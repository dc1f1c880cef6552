/**
 * Attributes for an element with an owner's text. The text has the direction of its first letter, and an unknown
 * language (the rest of the page has that of its texts).
 */
export const ownersText = { dir: 'auto', lang: '' } as const
