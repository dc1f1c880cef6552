import * as z from 'zod'
import { apiKeyScopes } from '#domain/access/api-keys.ts'

/** The JSON that the auth door answers with. A test holds them against its answers. */

const time = z.string().meta({ format: 'date-time' })
const anything = z.record(z.string(), z.unknown())

const identity = z.object({
  identity_id: z.uuid(),
  id: z.string(),
  user_id: z.uuid(),
  identity_data: anything,
  provider: z.string(),
  email: z.string().optional(),
  last_sign_in_at: time.optional(),
  created_at: time,
  updated_at: time,
})

export const factorAnswer = z
  .object({
    id: z.uuid(),
    friendly_name: z.string(),
    factor_type: z.enum(['totp', 'webauthn', 'phone']),
    status: z.enum(['unverified', 'verified']),
    phone: z.string().optional(),
    created_at: time,
    updated_at: time,
    last_challenged_at: time.optional(),
  })
  .meta({ id: 'Factor' })

const userFields = z.object({
  id: z.uuid(),
  aud: z.literal('authenticated'),
  role: z.literal('authenticated'),
  email: z.string(),
  email_confirmed_at: time.optional(),
  phone: z.string(),
  confirmed_at: time.optional(),
  new_email: z.string().optional(),
  confirmation_sent_at: time.optional(),
  recovery_sent_at: time.optional(),
  email_change_sent_at: time.optional(),
  invited_at: time.optional(),
  banned_until: time.optional(),
  last_sign_in_at: time.optional(),
  app_metadata: anything,
  user_metadata: anything,
  identities: z.array(identity),
  factors: z.array(factorAnswer).optional(),
  created_at: time,
  updated_at: time,
  is_anonymous: z.boolean(),
})
export const userAnswer = userFields.meta({ id: 'User' })

export const sessionAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Seconds'),
    expires_at: z.int().describe('Unix time'),
    refresh_token: z.string(),
    user: userAnswer,
  })
  .meta({ id: 'Session' })

export const linkAnswer = userFields.extend({
  action_link: z.string(),
  email_otp: z.string(),
  hashed_token: z.string(),
  verification_type: z.string(),
  redirect_to: z.string(),
})

export const deviceAnswer = z.object({
  id: z.uuid(),
  created_at: time,
  last_used_at: time,
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  aal: z.enum(['aal1', 'aal2']),
  current: z.boolean().describe('The session that asks'),
})

export const apiKeyAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    hint: z.string().describe('How the key begins and ends'),
    scopes: z.array(z.enum(apiKeyScopes)),
    domains: z
      .array(z.string())
      .nullable()
      .describe('Hosts to which the key is limited; empty: that of this server; null: no limit'),
    created_at: time,
    expires_at: time.nullable(),
    is_expired: z.boolean(),
    last_used_at: time.nullable(),
    last_used_country: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' })

export const eventAnswer = z.object({
  id: z.string(),
  at: time,
  event: z.string(),
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
})

export const enrolledAnswer = z.object({
  id: z.uuid(),
  type: z.enum(['totp', 'webauthn', 'phone']),
  friendly_name: z.string(),
  totp: z
    .object({ qr_code: z.string().describe('SVG'), secret: z.string(), uri: z.string() })
    .optional(),
  phone: z.string().optional(),
})

export const challengeAnswer = z.object({
  id: z.uuid(),
  type: z.enum(['totp', 'webauthn', 'phone']),
  expires_at: z.int().describe('Unix time'),
  webauthn: z
    .object({ type: z.enum(['create', 'request']), credential_options: anything })
    .optional(),
})

/** An app, as people see it. */
const appSeen = z.object({
  id: z.uuid(),
  name: z.string(),
  uri: z.string(),
  logo_uri: z.string(),
})

export const authorizationAnswer = z.union([
  z.object({
    authorization_id: z.uuid(),
    redirect_uri: z.string(),
    client: appSeen.extend({ registration: z.enum(['dynamic', 'manual']) }),
    user: z.object({ id: z.uuid(), email: z.string() }),
    scope: z.string(),
  }),
  z.object({ redirect_url: z.string().describe('The person has allowed all of it before') }),
])

export const grantAnswer = z.object({
  client: appSeen,
  scopes: z.array(z.string()),
  granted_at: time,
})

export const appChangeAnswer = z.object({
  id: z.string(),
  at: time,
  app: z.string().nullable(),
  action: z.string(),
  kind: z.string(),
  name: z.string().nullable(),
})

export const appTokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().describe('Seconds'),
  scope: z.string(),
  refresh_token: z.string().optional(),
  id_token: z.string().optional(),
})

export const userInfoAnswer = z.object({
  sub: z.uuid(),
  name: z.string().optional(),
  updated_at: z.int().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
})

export const clientAnswer = z
  .object({
    client_id: z.uuid(),
    client_secret: z.string().optional().describe('Only when it is new'),
    client_name: z.string(),
    client_type: z.enum(['public', 'confidential']),
    token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
    registration_type: z.enum(['dynamic', 'manual']),
    client_uri: z.string().optional(),
    logo_uri: z.string().optional(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    scope: z.string(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Client' })

export const settingsAnswer = z.object({
  external: z.record(z.string(), z.boolean()).describe('By method of signing in'),
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
  auto_provider: z.string().nullable().describe('Where people go straight to sign in'),
  manual_linking: z.boolean(),
  factors: z.object({ totp: z.boolean(), webauthn: z.boolean(), phone: z.boolean() }),
  captcha: z
    .object({ provider: z.enum(['turnstile', 'hcaptcha']), site_key: z.string() })
    .nullable(),
  mail: z
    .enum(['sent', 'log', 'none'])
    .describe('Where emails go: to a mail server, into files and the log, or into files only'),
  disable_signup: z.boolean(),
  mailer_autoconfirm: z.boolean(),
  phone_autoconfirm: z.boolean(),
  sms_provider: z.string(),
  saml_enabled: z.boolean(),
})

export const authErrorAnswer = z.union([
  z.object({ code: z.int(), error_code: z.string(), msg: z.string() }),
  z
    .object({ code: z.string(), message: z.string() })
    .describe('To clients that send `X-Supabase-Api-Version: 2024-01-01` or later'),
  z
    .object({ error: z.string(), error_description: z.string() })
    .describe('Of the calls of OAuth (RFC 6749)'),
])
