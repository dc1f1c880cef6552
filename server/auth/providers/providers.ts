import { createGitHubProvider } from './github-provider.ts'
import { createOpenIdProvider } from './openid-provider.ts'
import type { Provider, ProviderSettings } from './provider.ts'

/** The configured providers by their id. */
export type Providers = ReadonlyMap<string, Provider>

export function createProviders(settings: readonly ProviderSettings[]): Providers {
  return new Map(
    settings.map((each) => [
      each.id,
      each.kind === 'github' ? createGitHubProvider(each) : createOpenIdProvider(each),
    ]),
  )
}
