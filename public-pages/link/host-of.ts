import { readableUrl } from '#domain/links/readable-url.ts'

/** The host of a web address, as visitors read it. */
export function hostOf(url: string): string {
  const host = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]
  return host === undefined ? url : readableUrl(`https://${host}`).slice('https://'.length)
}
