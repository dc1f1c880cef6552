/** A link or bio page as people name it: its code or slug, on the host of a domain or, with null, on the server's own. */
export interface NamedOn {
  name: string
  domain: string | null
}

/** The link or bio page as people and programs name it: `menu`, or `go.example/menu` on a domain. */
export function namedOn({ name, domain }: NamedOn): string {
  return domain === null ? name : `${domain}/${name}`
}

/** The parts of a text of {@link namedOn}. */
export function readNamedOn(text: string): NamedOn {
  const end = text.lastIndexOf('/')
  return end < 0
    ? { name: text, domain: null }
    : { name: text.slice(end + 1), domain: text.slice(0, end) }
}

/** {@link namedOn} for a row of links. */
export function codeOfLink(link: { short_code: string; domain: string | null }): string {
  return namedOn({ name: link.short_code, domain: link.domain })
}

/** A text of {@link namedOn} in a path, query or fragment of the web app: `go.example~menu`. */
export function nameInAddress(text: string): string {
  return text.replace('/', '~')
}

/** The reverse of {@link nameInAddress}. */
export function nameOfAddress(text: string): string {
  return text.replace('~', '/')
}

/**
 * The address of a link or bio page. A domain has the scheme and the port of the server.
 *
 * @param linksUrl the address of the server's own links, without a slash at its end
 */
export function addressOfName(linksUrl: string, { name, domain }: NamedOn): string {
  return `${linksOrigin(linksUrl, domain)}/${name}`
}

/** Like {@link addressOfName}, of the host alone. */
export function linksOrigin(linksUrl: string, domain: string | null): string {
  if (domain === null) return linksUrl
  const { protocol, port } = new URL(linksUrl)
  return `${protocol}//${domain}${port === '' ? '' : `:${port}`}`
}
