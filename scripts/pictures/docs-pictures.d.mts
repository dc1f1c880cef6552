export function markupOf(path: string, text: string): string
export function stalePictures(): string[]
