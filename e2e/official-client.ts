import { createRequire } from 'node:module'
import type { AuthClient } from '@supabase/auth-js'
import { build } from 'vite'
import type { OfficialClient } from '#test/auth/requests.ts'

/** A page with the official client in it. */
export interface ClientWindow {
  client: OfficialClient
  /** By the names of their storages. */
  clients?: Record<string, OfficialClient>
  OfficialAuth: { AuthClient: typeof AuthClient }
}

/** The official client as one classic script, which sets `OfficialAuth`. */
export async function bundleOfficialClient(): Promise<string> {
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
