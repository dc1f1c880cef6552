export function countPhrases(text: string): Record<string, number>
export function textsOf(path: string, content: string): string[]
export function brokenTexts(
  path: string,
  content: string,
): { longLabel: string[]; longHint: string[]; itFirst: string[] }
