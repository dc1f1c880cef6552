import { serve, type StandIn } from './serve.ts'

export interface GitHub extends StandIn {
  user: { id: number; login: string; name: string | null; avatar_url: string }
  emails: { email: string; primary: boolean; verified: boolean }[]
  /** Bodies of the token requests so far. */
  exchanges: URLSearchParams[]
  /** The fault there, if any. */
  trouble: 'none' | 'bad code' | 'api down'
}

/** GitHub as far as a sign-in sees it: it agrees to everything. */
export async function startGitHub(): Promise<GitHub> {
  const standIn = await serve((request, response) => {
    const url = new URL(request.url ?? '/', github.url)
    const json = (body: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    switch (url.pathname) {
      case '/login/oauth/authorize': {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.searchParams.set('code', 'the-code')
        back.searchParams.set('state', url.searchParams.get('state') ?? '')
        response.writeHead(302, { location: back.href }).end()
        return
      }
      case '/login/oauth/access_token': {
        let body = ''
        request.on('data', (chunk) => (body += String(chunk)))
        request.on('end', () => {
          github.exchanges.push(new URLSearchParams(body))
          // GitHub answers mistakes with 200.
          if (github.trouble === 'bad code') json({ error: 'bad_verification_code' })
          else json({ access_token: 'gho_x', token_type: 'bearer', scope: 'read:user,user:email' })
        })
        return
      }
      case '/api/v3/user':
        return github.trouble === 'api down' ? json({}, 502) : json(github.user)
      case '/api/v3/user/emails':
        return request.headers.authorization === 'Bearer gho_x'
          ? json(github.emails)
          : json({}, 401)
      default:
        return json({}, 404)
    }
  })
  const github: GitHub = {
    ...standIn,
    user: { id: 1, login: 'octo', name: null, avatar_url: 'https://avatars.test/1' },
    emails: [],
    exchanges: [],
    trouble: 'none',
  }
  return github
}
