/** Maximum length of an address, in characters (RFC 5321 allows 254 in a path). */
export const emailMaxLength = 254

// The local part of the HTML standard's pattern, without empty parts between dots.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i

// Characters of a typed domain, in any script. UTS 46 reads the full stops of East Asian keyboards as dots.
const typedDomain = /^[\p{L}\p{M}\p{N}\p{Join_Control}.\u3002\uFF0E\uFF61-]+$/u
const storedDomain =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/

/**
 * Reads a typed email address into its stored form: an international domain in ASCII, everything else as typed
 * (`Ann@Пример.РФ` is `Ann@xn--e1afmkfd.xn--p1ai`). Addresses are compared in lower case. Undefined when it is not an
 * address: the pattern of the HTML standard decides, with a dot in the domain and no empty part between dots. Every form,
 * door and command reads addresses here.
 */
export function readEmailAddress(typed: string): string | undefined {
  const text = typed.trim()
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  if (!localPart.test(local)) return undefined
  const typedHost = text.slice(at + 1)
  const domain = asciiDomain(typedHost)
  if (domain === undefined || !storedDomain.test(domain)) return undefined
  const address = `${local}@${domain === typedHost.toLowerCase() ? typedHost : domain}`
  return address.length > emailMaxLength ? undefined : address
}

/** A domain in ASCII, as DNS knows it; undefined when it cannot be one. */
export function asciiDomain(domain: string): string | undefined {
  if (!typedDomain.test(domain)) return undefined
  try {
    return new URL(`http://${domain}/`).hostname
  } catch {
    return undefined
  }
}
