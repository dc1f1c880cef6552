/** This server's own API, called like any client does. */
export interface FrontDoor {
  /** Undefined when the account exists already. */
  signUp(account: {
    email: string
    password: string
    data: Record<string, unknown>
  }): Promise<SignedUp | undefined>
  /** One row in, one row out. */
  insert(token: string, table: string, row: Record<string, unknown>): Promise<Row>
  update(token: string, table: string, id: string, row: Record<string, unknown>): Promise<void>
  /** Undefined when the function returns nothing. */
  call(token: string, name: string, args: Record<string, unknown>): Promise<unknown>
}

export interface SignedUp {
  id: string
  token: string
}

type Row = Record<string, unknown> & { id: string }

export function openFrontDoor(url: string, anonKey: string): FrontDoor {
  const send = async (method: string, path: string, token: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
        ...(method === 'POST' && path.startsWith('/rest/v1/') && !path.includes('/rpc/')
          ? { accept: 'application/vnd.pgrst.object+json' }
          : {}),
      },
      body: JSON.stringify(body),
    })
  const expectOk = async (response: Response, path: string) => {
    if (response.ok) return response
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  }
  return {
    async signUp(account) {
      const path = '/auth/v1/signup'
      const response = await send('POST', path, anonKey, account)
      if (response.status === 422 && (await response.clone().text()).includes('already')) {
        return undefined
      }
      const { access_token: token, user } = (await (await expectOk(response, path)).json()) as {
        access_token?: string
        user?: { id: string }
      }
      if (token === undefined || user === undefined) {
        throw new Error('sign-up gives no session on this server')
      }
      return { id: user.id, token }
    },
    async insert(token, table, row) {
      const path = `/rest/v1/${table}`
      return (await (await expectOk(await send('POST', path, token, row), path)).json()) as Row
    },
    async update(token, table, id, row) {
      const path = `/rest/v1/${table}?id=eq.${id}`
      await expectOk(await send('PATCH', path, token, row), path)
    },
    async call(token, name, args) {
      const path = `/rest/v1/rpc/${name}`
      const text = await (await expectOk(await send('POST', path, token, args), path)).text()
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}
