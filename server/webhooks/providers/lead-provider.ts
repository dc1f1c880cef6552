import type { PostResult } from '../post.ts'

/** Origins of providers with one address for everybody; tests replace them. */
export interface ProviderHosts {
  brevo: string
  /** `{dc}` is the data center at the end of a key. */
  mailchimp: string
}

/** The key and the ID of the list, as an owner enters them. */
export interface ProviderAccount {
  key: string
  list: string
}

export interface Lead {
  email: string
  tags: readonly string[]
}

export interface ProviderRequest {
  headers: Record<string, string>
  body: string
}

type Answered = Extract<PostResult, { status: number }>

/** An email provider with an API that adds an address to a list. */
export interface LeadProvider {
  /** The address that adds to the list; undefined for a key, a list or an origin that the provider cannot have. */
  url(account: ProviderAccount, origin: string, hosts: ProviderHosts): string | undefined
  request(account: ProviderAccount, lead: Lead): ProviderRequest
  /** Whether an answer says that the list already has the address. */
  isThere(answer: Answered): boolean
}

export const isNumber = (text: string) => /^\d{1,9}$/.test(text)

/** A JSON request with the key in a header. */
export function withKey(header: string, value: string, body: object): ProviderRequest {
  const text = JSON.stringify(body)
  const headers = {
    [header]: value,
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  }
  return { headers, body: text }
}
