import type { Factor } from '@supabase/auth-js'
import { queryOptions } from '@tanstack/react-query'
import type { AuthClientType } from '#web/api/auth-client.ts'

export function secondFactorsQuery(client: AuthClientType, userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'factors'],
    queryFn: async (): Promise<Factor[]> => {
      const { data, error } = await client.mfa.listFactors()
      if (error !== null) throw error
      return data.all.filter(({ status }) => status === 'verified')
    },
  })
}

/** Name of a factor: by its person, else after its kind. */
export function factorName({ friendly_name: name, factor_type: type }: Factor): string {
  if (name !== undefined && name !== '') return name
  return { totp: 'Authenticator app', webauthn: 'Security key', phone: 'Phone' }[type]
}

/** Whether this browser, on this address, can use security keys: they want a site with a name, over https. */
export function canUseKeys(): boolean {
  return 'PublicKeyCredential' in window && hasName()
}

/** Said where there is no button for them. @param isOffered whether the server takes them, at its own address */
export function whyNoKeys(isOffered: boolean): string {
  if (!isOffered || !hasName()) {
    const { protocol, port } = window.location
    const way = isOffered
      ? `On the machine that it runs on, open ${protocol}//localhost${port && `:${port}`} instead.`
      : 'Whoever runs it can set another address in PUBLIC_URL.'
    return `Security keys cannot be added: they need a site with a name, and this one is reached by its IP address. ${way}`
  }
  if (!window.isSecureContext)
    return 'Security keys cannot be added: they need a page that is loaded over https.'
  return 'Security keys cannot be added: this browser does not know them.'
}

function hasName(): boolean {
  return !/^[\d.]+$|:/.test(window.location.hostname)
}
