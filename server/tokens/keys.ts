import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  SignJWT,
  importJWK,
} from 'jose'
import { z } from 'zod'
import { writeWhole } from '../primitives/write-whole.ts'

/** The `iss` of both API keys: they outlive a change of the server's address. */
export const apiKeyIssuer = 'hoplet'

/** Kept in `DATA_DIR/keys.json` (mode 0600). Losing it signs everyone out and voids both API keys. */
export interface Keys {
  /** Private ES256 key, as a JWK with its `kid`. */
  signingKey: JWK
  /** API key of role `anon`: public, the web app carries it. */
  anonKey: string
  /** API key of role `service_role`: reads and writes everything; never leaves the server. */
  serviceRoleKey: string
}

const stored = z.object({
  signingKey: z.looseObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    d: z.string(),
    kid: z.string(),
  }),
  anonKey: z.string(),
  serviceRoleKey: z.string(),
})

/**
 * Reads the keys, or makes them on the first start.
 *
 * @param configured the JWK of JWT_SIGNING_KEY; when it differs from the one in the file, both API keys are replaced
 */
export async function loadKeys(dataDir: string, configured: string | undefined): Promise<Keys> {
  const path = join(dataDir, 'keys.json')
  const found = await readKeys(path)
  const wanted = configured ? await withKeyId(JSON.parse(configured) as JWK) : undefined
  if (found && (!wanted || wanted.kid === found.signingKey.kid)) return found

  const signingKey = wanted ?? (await newSigningKey())
  const keys: Keys = {
    signingKey,
    anonKey: await apiKey(signingKey, 'anon'),
    serviceRoleKey: await apiKey(signingKey, 'service_role'),
  }
  await mkdir(dataDir, { recursive: true })
  await writeWhole(path, `${JSON.stringify(keys, null, 2)}\n`)
  return keys
}

async function readKeys(path: string): Promise<Keys | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return undefined
  }
  try {
    return parseKeys(text)
  } catch (error) {
    throw new Error(
      `${path} is damaged. Restore it from a backup, or move it away to get new keys (this signs everyone out).`,
      {
        cause: error,
      },
    )
  }
}

/** The key of this server, or a new one: for servers that share a database, which all need the same. */
export async function signingKeyOf(
  dataDir: string,
  configured: string | undefined,
): Promise<{ key: JWK; isNew: boolean }> {
  if (configured !== undefined)
    return { key: await withKeyId(JSON.parse(configured) as JWK), isNew: false }
  const found = await readKeys(join(dataDir, 'keys.json'))
  return { key: found?.signingKey ?? (await newSigningKey()), isNew: !found }
}

/** Reads the content of `keys.json`. @throws when it is something else */
export function parseKeys(text: string): Keys {
  return stored.parse(JSON.parse(text))
}

async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return withKeyId(await exportJWK(privateKey))
}

/** The id of the key that JWT_SIGNING_KEY holds. */
export async function keyIdOf(configured: string): Promise<string> {
  return (await withKeyId(JSON.parse(configured) as JWK)).kid ?? ''
}

async function withKeyId(jwk: JWK): Promise<JWK> {
  return { ...jwk, alg: 'ES256', use: 'sig', kid: jwk.kid ?? (await calculateJwkThumbprint(jwk)) }
}

async function apiKey(signingKey: JWK, role: 'anon' | 'service_role'): Promise<string> {
  return new SignJWT({ role })
    .setProtectedHeader({
      alg: 'ES256',
      typ: 'JWT',
      ...(signingKey.kid && { kid: signingKey.kid }),
    })
    .setIssuer(apiKeyIssuer)
    .setIssuedAt()
    .setExpirationTime('10y')
    .sign(await importJWK(signingKey, 'ES256'))
}
