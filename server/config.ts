import { resolve } from 'node:path'
import { ConfigurationError, type Env } from './env.ts'

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

/** @throws {ConfigurationError} when variables contradict one another */
export function createConfig(env: Env): Config {
  const problems: string[] = []
  if (env.JWT_SIGNING_KEY !== undefined && !isSigningKey(env.JWT_SIGNING_KEY)) {
    problems.push(
      'JWT_SIGNING_KEY: must be a private P-256 key as a JWK (kty EC, crv P-256, with d)',
    )
  }
  if (env.CLICK_FSYNC && env.CLICK_MODE !== 'journal') {
    problems.push('CLICK_FSYNC: means something only with CLICK_MODE=journal')
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
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

function isSigningKey(text: string): boolean {
  try {
    const key: unknown = JSON.parse(text)
    return (
      typeof key === 'object' &&
      key !== null &&
      'kty' in key &&
      key.kty === 'EC' &&
      'crv' in key &&
      key.crv === 'P-256' &&
      'd' in key &&
      typeof key.d === 'string'
    )
  } catch {
    return false
  }
}
