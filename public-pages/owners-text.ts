/**
 * Attributes for an element with an owner's text. The text has the direction of its first letter, and an unknown
 * language (the rest of the page is English).
 */
export const ownersText = { dir: 'auto', lang: '' } as const
