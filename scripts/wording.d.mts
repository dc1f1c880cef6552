export function countPhrases(text: string): Record<string, number>
export function textsOf(path: string, content: string): string[]
