import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { serve, type StandIn } from './serve.ts'

export interface GooglePerson {
  sub: string
  email: string
  email_verified: boolean
  name: string
  groups?: unknown
}

export interface Google extends StandIn {
  clientId: string
  clientSecret: string
  /** Who is signed in there, and agrees to everything. */
  person: GooglePerson
  /** Answers nothing but 503 while true. */
  isDown: boolean
  /** Google learns where our callback is only once our server listens. */
  register(callbackUrl: string): Promise<void>
}

/**
 * A certified OpenID Connect provider in the part of Google, without pages to click through.
 *
 * @param hostname to browsers, `localhost` is another site than `127.0.0.1`
 */
export async function startGoogle(
  hostname: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<Google> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end()
  const standIn = await serve((request, response) =>
    google.isDown ? response.writeHead(503).end() : answer(request, response),
  )
  const google: Google = {
    ...standIn,
    url: standIn.url.replace('127.0.0.1', hostname),
    clientId: 'hoplet-at-google',
    clientSecret: randomBytes(24).toString('hex'),
    isDown: false,
    person: { sub: '1', email: 'one@gmail.test', email_verified: true, name: 'One' },
    async register(callbackUrl) {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true })
      const provider = new Provider(google.url, {
        clients: [
          {
            client_id: google.clientId,
            client_secret: google.clientSecret,
            redirect_uris: [callbackUrl],
          },
        ],
        jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'groups'],
        },
        findAccount: (_ctx, sub) => ({
          accountId: sub,
          claims: async () => ({ ...google.person, sub }),
        }),
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      })
      const speak = provider.callback()
      const agree = async (request: IncomingMessage, response: ServerResponse) => {
        const { params } = await provider.interactionDetails(request, response)
        const grant = new provider.Grant({
          accountId: google.person.sub,
          clientId: google.clientId,
        })
        grant.addOIDCScope(String(params['scope']))
        await provider.interactionFinished(
          request,
          response,
          {
            login: { accountId: google.person.sub, remember: false },
            consent: { grantId: await grant.save() },
          },
          { mergeWithLastSubmission: false },
        )
      }
      answer = (request, response) =>
        void (request.url?.startsWith('/interaction/')
          ? agree(request, response)
          : speak(request, response))
    },
  }
  return google
}
