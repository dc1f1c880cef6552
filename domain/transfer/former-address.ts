/** A short address of another service. */
export interface FormerAddress {
  /** Without a scheme: `bit.ly/abc`. */
  formerUrl: string
  /** Undefined for the address of a host alone. */
  code: string | undefined
}

const maxLength = 2_048

/** Reads `https://bit.ly/abc` or `bit.ly/abc`. Undefined for a text that is no address, such as a code alone. */
export function readFormerAddress(text: string | undefined): FormerAddress | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  const bare = text.trim().replace(/^(?:https?:)?\/\//i, '')
  const [, host, path = ''] = /^([^\s/?#@]+)(?:\/([^?#\s]*))?/.exec(bare) ?? []
  if (host === undefined || !/[.:]/.test(host)) return undefined
  const code = decoded(path.replace(/^\/+|\/+$/g, ''))
  return { formerUrl: bare.replace(/\/+$/, ''), code: code === '' ? undefined : code }
}

/** The address of a code at a host. */
export function formerAddressOf(
  host: string | undefined,
  code: string | undefined,
): FormerAddress | undefined {
  return host === undefined || code === undefined ? undefined : readFormerAddress(`${host}/${code}`)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
