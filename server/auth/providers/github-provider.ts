import * as client from 'openid-client'
import * as z from 'zod'
import { identityFrom } from './claims.ts'
import { type SignInProvider, SignInProviderError } from './provider.ts'
import type { SignInProviderSettings } from '../settings.ts'
import { asProviderError } from './provider-failure.ts'

type GitHubSettings = Extract<SignInProviderSettings, { kind: 'github' }>

const timeoutSeconds = 5
const profile = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const addresses = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

/** GitHub has OAuth 2 without OpenID Connect: the identity comes from its API. */
export function createGitHubProvider(settings: GitHubSettings): SignInProvider {
  const [clientId = ''] = settings.clientIds
  const { url } = settings
  // GitHub Enterprise Server has its API under its own address.
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
  const config = new client.Configuration(
    {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    undefined,
    client.ClientSecretPost(settings.clientSecret),
  )
  config.timeout = timeoutSeconds
  if (url.startsWith('http:')) client.allowInsecureRequests(config)

  const ask = async <Shape extends z.ZodType>(path: string, token: string, shape: Shape) => {
    const response = await fetch(`${api}${path}`, {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'Hoplet',
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    })
    if (!response.ok) {
      const reason = response.status >= 500 ? 'unavailable' : 'refused'
      throw new SignInProviderError(reason, `api ${path}: ${response.status}`)
    }
    const parsed = shape.safeParse(await response.json())
    if (!parsed.success) throw new SignInProviderError('invalid', `api ${path}: unexpected answer`)
    return parsed.data
  }

  return {
    settings,

    async leave(trip, { scopes, params }) {
      return client.buildAuthorizationUrl(config, {
        ...params,
        redirect_uri: trip.callbackUrl,
        scope: [...new Set(`${settings.scopes} ${scopes}`.split(/\s+/).filter(Boolean))].join(' '),
        state: trip.state,
        code_challenge: await client.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
      })
    },

    async identify(trip, query) {
      try {
        const { access_token: token } = await client.authorizationCodeGrant(
          config,
          new URL(`${trip.callbackUrl}?${query.toString()}`),
          { expectedState: trip.state, pkceCodeVerifier: trip.verifier },
        )
        const person = await ask('/user', token, profile)
        const primary = (await ask('/user/emails', token, addresses)).find(({ primary }) => primary)
        return identityFrom({
          iss: url,
          // The id: a login name can pass to another person.
          sub: String(person.id),
          email: primary?.email,
          email_verified: primary?.verified,
          name: person.name ?? person.login,
          preferred_username: person.login,
          picture: person.avatar_url,
        })
      } catch (error) {
        throw asProviderError(error)
      }
    },
  }
}
