import { createGitHubProvider } from './github-provider.ts'
import { createOpenIdProvider } from './openid-provider.ts'
import type { SignInProvider } from './provider.ts'
import type { SignInProviderSettings } from '../settings.ts'

/** The configured providers by their id. */
export type SignInProviders = ReadonlyMap<string, SignInProvider>

export function createSignInProviders(
  settings: readonly SignInProviderSettings[],
): SignInProviders {
  return new Map(
    settings.map((each) => [
      each.id,
      each.kind === 'github' ? createGitHubProvider(each) : createOpenIdProvider(each),
    ]),
  )
}
