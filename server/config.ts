import { resolve } from 'node:path'
import type { Env } from './env.ts'

/** What the server runs with: derived from the environment, contradictions refused. */
export interface Config {
  host: string
  port: number
  /** The origin that people reach Hoplet at, without a trailing slash; undefined until the port is known. */
  publicUrl: string | undefined
  dataDir: string
  /** Unset: the embedded PostgreSQL in the data directory. */
  databaseUrl: string | undefined
  /** How many proxies in front of us set X-Forwarded-For; 0 means that the header is not believed. */
  trustedProxies: number
  clicks: { mode: 'journal' | 'sync' | 'memory'; fsync: boolean }
  /** A private ES256 JWK as JSON text; unset: one is made and kept in the data directory. */
  signingKey: string | undefined
  auth: { autoconfirm: boolean; signUp: boolean; passwordMinLength: number }
  rateLimits: boolean
  logLevel: string
}

/** Derives what the server runs with; what could contradict was refused by env.ts. */
export function createConfig(env: Env): Config {
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ? new URL(env.PUBLIC_URL).origin : undefined,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    trustedProxies: env.TRUSTED_PROXIES,
    clicks: { mode: env.CLICK_MODE, fsync: env.CLICK_FSYNC },
    signingKey: env.JWT_SIGNING_KEY,
    auth: {
      autoconfirm: env.AUTH_AUTOCONFIRM,
      signUp: !env.AUTH_DISABLE_SIGNUP,
      passwordMinLength: env.PASSWORD_MIN_LENGTH,
    },
    rateLimits: env.RATE_LIMITS,
    logLevel: env.LOG_LEVEL,
  }
}
