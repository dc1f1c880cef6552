import type { ReferencePart } from '#domain/routes.ts'
import type { Notice } from './texts.ts'

/** Texts of the API reference. */
export const referenceTexts = {
  title: 'API Reference',
  intro:
    'Every call that programs can make here. What you see depends on who asks: sign in, or use a key, to see what it opens.',
  key: 'API key or access token',
  keyHint:
    'For calls that you try on this page. It stays in this tab and is forgotten when you leave.',
  keyMissing: 'Paste a key first',
  keyRefused: 'This key is not accepted: it is wrong, expired or revoked',
  useKey: 'Use This Key',
  keyUsed: 'Calls that you try here carry your key.',
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
