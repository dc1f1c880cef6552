import type { ReferencePart } from '#domain/routes.ts'
import type { Notice } from './texts.ts'

/** Texts of the API reference. */
export const referenceTexts = {
  title: 'API Reference',
  intro: 'All endpoints. Sign in or add a key to see yours.',
  key: 'API key or access token',
  keyHint: 'Used for calls on this page. Forgotten when you leave.',
  keyMissing: 'Paste a key first',
  keyRefused: 'This key is wrong, expired or revoked',
  useKey: 'Use This Key',
  keyUsed: 'Calls on this page use your key.',
  noKey: 'Make a key',
  forgetKey: 'Forget the Key',
  loading: 'Loading the reference',
} as const

export const referencePartNames: Record<ReferencePart, string> = {
  tables: 'Tables',
  account: 'Account',
  functions: 'Functions',
}

export const referenceFailed = {
  title: 'Failed to load the reference',
} as const satisfies Notice
