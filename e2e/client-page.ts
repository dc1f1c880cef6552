import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { AuthClient } from '@supabase/auth-js'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import type { OfficialClient } from '#test/auth/requests.ts'

interface ClientWindow {
  /** By the names of their storages. */
  clients?: Record<string, OfficialClient>
  OfficialAuth: { AuthClient: typeof AuthClient }
}

type FlowType = 'pkce' | 'implicit'

/** A page of the built site with the official client in it. */
export interface ClientPage {
  /**
   * A client that lives in the page, with separate storage. Each call of it is made there; arguments and answers are
   * carried over as data.
   */
  newClient(flowType?: FlowType): OfficialClient
}

export async function openClientPage(page: Page, anonKey: string): Promise<ClientPage> {
  await page.goto('/auth')
  await page.evaluate(await bundleOfficialClient())
  return {
    newClient: (flowType = 'implicit') => {
      const storageKey = `client-${randomBytes(6).toString('hex')}`
      return remote([], (path, args) =>
        page.evaluate(callInPage, { path, args, storageKey, flowType, anonKey }),
      ) as OfficialClient
    },
  }
}

type Call = (path: string[], args: unknown[]) => Promise<unknown>

/** Any path of names becomes a call. */
function remote(path: string[], call: Call): unknown {
  return new Proxy(() => {}, {
    get: (_, name) =>
      // Awaiting or printing it is not a call.
      typeof name === 'symbol' || name === 'then' ? undefined : remote([...path, name], call),
    apply: (_, __, args: unknown[]) => call(path, args),
  })
}

interface Asked {
  path: string[]
  args: unknown[]
  storageKey: string
  flowType: FlowType
  anonKey: string
}

/** Runs in the page. Errors are carried over by the fields that tests look at. */
async function callInPage({ path, args, storageKey, flowType, anonKey }: Asked): Promise<unknown> {
  const shared = window as unknown as ClientWindow
  const clients = (shared.clients ??= {})
  const client = (clients[storageKey] ??= new shared.OfficialAuth.AuthClient({
    url: `${location.origin}/auth/v1`,
    headers: { apikey: anonKey },
    storageKey,
    flowType,
    autoRefreshToken: false,
    detectSessionInUrl: false,
  }))
  let owner: unknown = client
  let target: unknown = client
  for (const name of path) {
    owner = target
    target = Reflect.get(Object(target), name)
  }
  if (typeof target !== 'function') throw new Error(`the client has no ${path.join('.')}`)
  const answer: unknown = await Reflect.apply(target, owner, args)
  const error: unknown = Reflect.get(Object(answer), 'error')
  if (!(error instanceof Error)) return answer
  const { name, message } = error
  return { ...Object(answer), error: Object.assign({}, error, { name, message }) }
}

/** The official client as one classic script, which sets `OfficialAuth`. */
async function bundleOfficialClient(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: {
        entry: createRequire(import.meta.url).resolve('@supabase/auth-js'),
        formats: ['iife'],
        name: 'OfficialAuth',
      },
    },
  })
  const [bundle] = Array.isArray(result) ? result : [result]
  const [chunk] = bundle && 'output' in bundle ? bundle.output : []
  if (chunk?.type !== 'chunk') throw new Error('the client was not bundled')
  return `${chunk.code}; window.OfficialAuth = OfficialAuth`
}
