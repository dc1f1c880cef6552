import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { serve, type StandIn } from './serve.ts'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

/** False claims of the next token; `key` and `alg` sign it. */
export interface Lies {
  claims?: Record<string, unknown>
  key?: Key | Uint8Array
  alg?: string
}

export interface Issuer extends StandIn {
  clientId: string
  /** The person that the next sign-in is about. */
  person: JWTPayload
  lies: Lies
  /** Answers nothing but 500 while true. */
  isIll: boolean
  /** The answer of the address of its keys, unless it is the keys. */
  keysAnswer: { status: number; body: string } | undefined
  /** Claims that come from the userinfo endpoint only. */
  userInfo: JWTPayload | undefined
  /** Parameters of the token requests so far. */
  exchanges: URLSearchParams[]
  /** An id_token about the person. */
  token(nonce?: string, more?: JWTPayload): Promise<string>
  /** The nonce of the next id_token of the token endpoint, as the authorize request had it. */
  nonce: string
}

/** An OpenID Connect provider that lies when told to. */
export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const standIn = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer.url)
    const json = (body: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (issuer.isIll) return json({}, 500)
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: issuer.url,
          authorization_endpoint: `${issuer.url}/authorize`,
          token_endpoint: `${issuer.url}/token`,
          userinfo_endpoint: `${issuer.url}/userinfo`,
          jwks_uri: `${issuer.url}/jwks`,
          id_token_signing_alg_values_supported: ['RS256'],
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
        })
      case '/jwks':
        if (issuer.keysAnswer) {
          response.writeHead(issuer.keysAnswer.status).end(issuer.keysAnswer.body)
          return
        }
        return json({ keys: [jwk] })
      case '/userinfo':
        return json({ sub: issuer.person.sub, ...issuer.userInfo })
      case '/token': {
        let body = ''
        request.on('data', (chunk) => (body += String(chunk)))
        request.on('end', () => {
          issuer.exchanges.push(new URLSearchParams(body))
          void issuer
            .token(issuer.nonce)
            .then((id_token) => json({ access_token: 'at', token_type: 'Bearer', id_token }))
        })
        return
      }
      default:
        return json({}, 404)
    }
  })
  const issuer: Issuer = {
    ...standIn,
    clientId: 'hoplet',
    person: {},
    lies: {},
    isIll: false,
    keysAnswer: undefined,
    userInfo: undefined,
    exchanges: [],
    nonce: '',
    token(nonce, more = {}) {
      const { claims = {}, key = privateKey, alg = 'RS256' } = issuer.lies
      const now = Math.floor(Date.now() / 1000)
      const payload = {
        iss: issuer.url,
        aud: issuer.clientId,
        iat: now,
        exp: now + 300,
        ...(nonce !== undefined && { nonce }),
        ...issuer.person,
        ...more,
        ...claims,
      }
      if (alg === 'none') {
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
        return Promise.resolve(`${part({ alg })}.${part(payload)}.`)
      }
      return new SignJWT(payload).setProtectedHeader({ alg, kid: 'one' }).sign(key)
    },
  }
  return issuer
}
