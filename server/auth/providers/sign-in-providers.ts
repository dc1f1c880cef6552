import { createRemoteJWKSet } from 'jose'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import * as z from 'zod'
import { optionalText } from '../credentials.ts'
import { SignInProviderError } from '../errors.ts'
import type { SignInProviderSettings } from '../../env-providers.ts'
import { identityFrom, type OpenIdClaims } from './claims.ts'
import { checkIdToken, isAhead } from './id-token.ts'
import { asProviderError, type SignInProvider } from './provider.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** The configured providers by their id. */
export type SignInProviders = ReadonlyMap<string, SignInProvider>

export function createSignInProviders(
  settings: readonly SignInProviderSettings[],
): SignInProviders {
  return new Map(settings.map((each) => [each.id, createSignInProvider(each)]))
}

/** A person is waiting for the provider's response. */
const timeoutSeconds = 5
/** After this long the provider's metadata is fetched again. */
const discoveryLifetimeMs = 60 * 60_000
/** How far the provider's clock may be off. */
const skewSeconds = 30

type TokenAnswer = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

/** Differences between OpenID Connect and OAuth alone. */
interface ProviderKind extends Pick<SignInProvider, 'readIdToken' | 'isReachable'> {
  /** @throws {SignInProviderError} `unavailable` */
  discovered(): Promise<{ config: client.Configuration }>
  /** The person's identity, fully verified. */
  claims(config: client.Configuration, tokens: TokenAnswer): Promise<OpenIdClaims>
}

/** Authorization code with PKCE. */
function createSignInProvider(settings: SignInProviderSettings): SignInProvider {
  const isOpenId = settings.kind === 'openid'
  const roleClaims = isOpenId ? settings : {}
  const { discovered, claims, ...more } = isOpenId ? openId(settings) : gitHub(settings)
  return {
    settings,
    ...more,

    async leave(trip, { scopes, params }) {
      const { config } = await discovered()
      return client.buildAuthorizationUrl(config, {
        ...params,
        redirect_uri: trip.callbackUrl,
        scope: [...new Set(`${settings.scopes} ${scopes}`.split(/\s+/).filter(Boolean))].join(' '),
        state: trip.state,
        ...(isOpenId && { nonce: trip.nonce }),
        code_challenge: await client.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
      })
    },

    async identify(trip, query) {
      const { config } = await discovered()
      try {
        const returned = new URL(`${trip.callbackUrl}?${query.toString()}`)
        const tokens = await client.authorizationCodeGrant(config, returned, {
          expectedState: trip.state,
          pkceCodeVerifier: trip.verifier,
          ...(isOpenId && { expectedNonce: trip.nonce, idTokenExpected: true }),
        })
        return identityFrom(await claims(config, tokens), roleClaims)
      } catch (error) {
        throw asProviderError(error, settings)
      }
    },
  }
}

type OpenIdSettings = Extract<SignInProviderSettings, { kind: 'openid' }>

/** Any OpenID Connect provider, by its issuer: discovery, nonce, id_token with signature. */
function openId(settings: OpenIdSettings): ProviderKind {
  // The known metadata serve on while the provider does not answer.
  const metadata = new LRUCache<'known', Awaited<ReturnType<typeof discover>>>({
    max: 1,
    ttl: discoveryLifetimeMs,
    allowStaleOnFetchRejection: true,
    fetchMethod: () => discover(settings),
  })
  const discovered = () =>
    metadata.forceFetch('known').catch((error: unknown) => {
      throw new SignInProviderError('unavailable', settings, 'discovery failed', error)
    })
  let asking: Promise<boolean> | undefined
  return {
    discovered,

    isReachable() {
      // Not the known metadata, and one request for all who ask at once.
      asking ??= discover(settings)
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          asking = undefined
        })
      return asking
    },

    async readIdToken(token) {
      const { config, keys } = await discovered()
      const { issuer } = config.serverMetadata()
      try {
        const claims = await checkIdToken(token, { keys, issuer, settings, skewSeconds })
        const known = await withRoleClaims(settings, config, claims, token.access_token)
        return identityFrom(known, settings)
      } catch (error) {
        throw asProviderError(error, settings)
      }
    },

    async claims(config, tokens) {
      const claims = orThrow(tokens.claims(), () => new Error('no id_token'))
      if (isAhead(claims, skewSeconds)) throw new Error('id_token issued in the future')
      if (claims['email'] !== undefined || !config.serverMetadata().userinfo_endpoint)
        return withRoleClaims(settings, config, claims, tokens.access_token)
      // Some providers put only the subject into the token, and the rest into userinfo.
      return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
    },
  }
}

/**
 * The claims of an id_token, with those about roles of userinfo where the token lacks them. A role is not worth the
 * sign-in: when userinfo fails, its claim is missing.
 */
async function withRoleClaims(
  { adminClaim, spaceClaim }: OpenIdSettings,
  config: client.Configuration,
  claims: OpenIdClaims,
  accessToken: string | null | undefined,
): Promise<OpenIdClaims> {
  const missing = [adminClaim?.name, spaceClaim].filter(
    (name) => name !== undefined && claims[name] == null,
  )
  if (missing.length === 0) return claims
  if (!accessToken || !config.serverMetadata().userinfo_endpoint) return claims
  const more = await client
    .fetchUserInfo(config, accessToken, claims.sub)
    .catch((): Record<string, unknown> => ({}))
  return { ...claims, ...Object.fromEntries(missing.map((name) => [name, more[name ?? '']])) }
}

async function discover(settings: OpenIdSettings) {
  const issuer = new URL(settings.issuer)
  const config = await client.discovery(
    issuer,
    settings.clientIds[0] ?? '',
    { [client.clockTolerance]: skewSeconds },
    // Which client authentication to use is known only from the metadata.
    (server, registered, body, headers) =>
      authentication(settings, server)(server, registered, body, headers),
    {
      timeout: timeoutSeconds,
      execute: [
        client.enableNonRepudiationChecks,
        // env-providers.ts takes http on this machine only.
        ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  const { jwks_uri: address } = config.serverMetadata()
  const keys = orThrow(address, () => new Error('the provider names no keys'))
  const timeoutDuration = timeoutSeconds * 1_000
  return { config, keys: createRemoteJWKSet(new URL(keys), { timeoutDuration }) }
}

/** As the operator configured it, else as the provider's metadata say, else the default of the standard. */
function authentication(
  { clientAuth, clientSecret }: OpenIdSettings,
  server: client.ServerMetadata,
): client.ClientAuth {
  const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isPost = clientAuth ? clientAuth === 'post' : !offered.includes('client_secret_basic')
  return isPost ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret)
}

const profile = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: optionalText,
  avatar_url: optionalText,
})
const addresses = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

/** GitHub has OAuth 2 without OpenID Connect: the identity comes from its API. */
function gitHub(settings: Extract<SignInProviderSettings, { kind: 'github' }>): ProviderKind {
  const { url } = settings
  // GitHub Enterprise Server has its API under its own address.
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
  const config = new client.Configuration(
    {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    settings.clientIds[0] ?? '',
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
      throw new SignInProviderError(reason, settings, `api ${path}: ${response.status}`)
    }
    const parsed = shape.safeParse(await response.json())
    if (!parsed.success) throw new Error(`api ${path}: unexpected answer`)
    return parsed.data
  }

  return {
    discovered: async () => ({ config }),
    // It has no claims and no prompts, so nothing depends on the answer.
    isReachable: () => Promise.resolve(true),

    async claims(_, { access_token: token }) {
      const person = await ask('/user', token, profile)
      const primary = (await ask('/user/emails', token, addresses)).find(({ primary }) => primary)
      return {
        iss: url,
        // The id: a login name can pass to another person.
        sub: String(person.id),
        email: primary?.email,
        email_verified: primary?.verified,
        name: person.name ?? person.login,
        preferred_username: person.login,
        picture: person.avatar_url,
      }
    },
  }
}
