import { queryOptions, useQuery } from '@tanstack/react-query'
import { queryClient } from '#web/api/query-client.ts'

export interface CaptchaOptions {
  readonly provider: 'turnstile' | 'hcaptcha'
  readonly siteKey: string
}

/** Which ways in this server has besides the password. */
export interface SignInOptions {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly canLink: boolean
  /** Which second factors can be set up besides authenticator apps. */
  readonly factors: { readonly webauthn: boolean; readonly phone: boolean }
  readonly captcha: CaptchaOptions | undefined
  /** Where emails go: to their recipients, into the log of this machine, or nowhere that people can read. */
  readonly mail: 'sent' | 'log' | 'none'
}

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<SignInOptions> => {
    const response = await fetch('/auth/v1/settings', { signal })
    if (!response.ok) throw new Error(`settings answered ${response.status}`)
    return readOptions(await response.json())
  },
})

/** Until they are known, emails are taken to arrive. */
export function useMailWay(): SignInOptions['mail'] {
  return useQuery(signInOptionsQuery).data?.mail ?? 'sent'
}

/** A server that takes long must not keep people from their password. */
const maxWaitMs = 1_000

/** Resolves when the ways in are known, or when it takes too long. */
export function loadSignInOptions(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, maxWaitMs)
    void queryClient.prefetchQuery(signInOptionsQuery).then(resolve)
  })
}

function readOptions(body: unknown): SignInOptions {
  const given = asRecord(body)
  const factors = asRecord(given['factors'])
  const providers = Array.isArray(given['providers']) ? given['providers'].map(asRecord) : []
  return {
    providers: providers.flatMap(({ id, name }) =>
      typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [],
    ),
    canLink: given['manual_linking'] === true,
    factors: { webauthn: factors['webauthn'] === true, phone: factors['phone'] === true },
    captcha: readCaptcha(asRecord(given['captcha'])),
    mail: given['mail'] === 'log' || given['mail'] === 'none' ? given['mail'] : 'sent',
  }
}

function readCaptcha(given: Record<string, unknown>): CaptchaOptions | undefined {
  const { provider, site_key: siteKey } = given
  if (provider !== 'turnstile' && provider !== 'hcaptcha') return undefined
  return typeof siteKey === 'string' ? { provider, siteKey } : undefined
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
