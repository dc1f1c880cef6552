/**
 * For an element that holds a text of an owner: it reads from right to left if its first letter does, and its language
 * is not known (the words around it are English).
 */
export const ownersText = { dir: 'auto', lang: '' } as const
