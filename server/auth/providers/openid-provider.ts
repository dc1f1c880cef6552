import { createRemoteJWKSet } from 'jose'
import * as client from 'openid-client'
import { identityFrom } from './claims.ts'
import { checkIdToken, isAhead } from './id-token.ts'
import { type SignInProvider, SignInProviderError } from './provider.ts'
import type { SignInProviderSettings } from '../settings.ts'
import { asProviderError } from './provider-failure.ts'

type OpenIdSettings = Extract<SignInProviderSettings, { kind: 'openid' }>

/** A person is waiting for the provider's response. */
const timeoutSeconds = 5
/** After this long the provider's metadata is fetched again. */
const discoveryLifetimeMs = 60 * 60_000
/** How far the provider's clock may be off. */
const skewSeconds = 30

interface Discovered {
  config: client.Configuration
  keys: ReturnType<typeof createRemoteJWKSet>
  at: number
}

/** Any OpenID Connect provider, by its issuer: discovery, code with PKCE and nonce, id_token with signature. */
export function createOpenIdProvider(settings: OpenIdSettings): SignInProvider {
  const [clientId = ''] = settings.clientIds
  let known: Discovered | undefined
  let asking: Promise<Discovered> | undefined

  /** Falls back to the known metadata when the provider does not answer. */
  const discovered = async (): Promise<Discovered> => {
    if (known && Date.now() - known.at < discoveryLifetimeMs) return known
    asking ??= discover(settings, clientId).finally(() => (asking = undefined))
    try {
      return (known = await asking)
    } catch (error) {
      if (known) return known
      throw new SignInProviderError('unavailable', 'discovery failed', { cause: error })
    }
  }

  return {
    settings,

    async leave(trip, { scopes, params }) {
      const { config } = await discovered()
      return client.buildAuthorizationUrl(config, {
        ...params,
        redirect_uri: trip.callbackUrl,
        scope: [...new Set(`${settings.scopes} ${scopes}`.split(/\s+/).filter(Boolean))].join(' '),
        state: trip.state,
        nonce: trip.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(trip.verifier),
        code_challenge_method: 'S256',
      })
    },

    async identify(trip, query) {
      const { config } = await discovered()
      try {
        const tokens = await client.authorizationCodeGrant(
          config,
          new URL(`${trip.callbackUrl}?${query.toString()}`),
          {
            expectedState: trip.state,
            expectedNonce: trip.nonce,
            pkceCodeVerifier: trip.verifier,
            idTokenExpected: true,
          },
        )
        const claims = tokens.claims()
        if (!claims) throw new SignInProviderError('invalid', 'no id_token')
        if (isAhead(claims, skewSeconds))
          throw new SignInProviderError('invalid', 'id_token issued in the future')
        // Some providers put only the subject into the token, and the rest into userinfo.
        const rest =
          claims['email'] === undefined && config.serverMetadata().userinfo_endpoint
            ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
            : {}
        return identityFrom({ ...rest, ...claims })
      } catch (error) {
        throw asProviderError(error)
      }
    },

    async readIdToken(token) {
      const { config, keys } = await discovered()
      const { issuer } = config.serverMetadata()
      const claims = await checkIdToken(token, {
        keys,
        issuer,
        clientIds: settings.clientIds,
        skewSeconds,
      })
      return identityFrom(claims)
    },
  }
}

async function discover(settings: OpenIdSettings, clientId: string): Promise<Discovered> {
  const issuer = new URL(settings.issuer)
  const config = await client.discovery(
    issuer,
    clientId,
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
  const { jwks_uri: keys } = config.serverMetadata()
  if (!keys) throw new SignInProviderError('invalid', 'the provider names no keys')
  return {
    config,
    keys: createRemoteJWKSet(new URL(keys), { timeoutDuration: timeoutSeconds * 1_000 }),
    at: Date.now(),
  }
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
