/** Where Chromium is; undefined when there is none. */
export function findChromium(): string | undefined
/** False when there is none and none could be installed. */
export function ensureChromium(): Promise<boolean>
