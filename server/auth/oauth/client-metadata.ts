import * as z from 'zod'
import { oauthScopes, parseScopes } from '#domain/access/oauth-scopes.ts'
import { isStorable } from '../credentials.ts'
import { isAllowedRedirectUri } from './redirect-uris.ts'

const webAddress = z
  .url({ protocol: /^https$/, error: 'must be an absolute https URL', abort: true })
  .max(2_048)
  .refine((text) => {
    const { username, password } = new URL(text)
    return username + password === ''
  }, 'must have no user')
  .refine(isStorable, 'has characters that cannot be stored')

const allScopes = oauthScopes.join(' ')
const grantTypes = z.enum(['authorization_code', 'refresh_token'])

/** The metadata of an app, the same for RFC 7591 and the admin API. Unknown fields are ignored. */
const fields = z.object({
  redirect_uris: z
    .array(
      z
        .string()
        .refine(
          isAllowedRedirectUri,
          'must be https, http on the same machine, or a scheme of the app’s own such as com.example.app:/, without a fragment',
        ),
    )
    .min(1)
    .max(10),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    // With invisible or reordering characters the name would look different from its characters.
    .refine(
      (name) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(name),
      'has characters that cannot be displayed',
    ),
  client_uri: webAddress,
  logo_uri: webAddress,
  grant_types: z
    .array(grantTypes)
    .min(1)
    .refine((types) => types.includes('authorization_code'), 'must have authorization_code')
    .transform((types) => [...new Set(types)]),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  scope: z
    .string()
    .max(1_000)
    .refine((text) => parseScopes(text).unknown.length === 0, `may have ${allScopes}`)
    .transform((text) => parseScopes(text).known.join(' ') || allScopes),
})

const { grant_types, token_endpoint_auth_method, scope } = fields.shape
const newClient = fields.partial({ client_name: true, client_uri: true, logo_uri: true }).extend({
  grant_types: grant_types.default(['authorization_code', 'refresh_token']),
  response_types: z.array(z.literal('code')).min(1).default(['code']),
  token_endpoint_auth_method: token_endpoint_auth_method.default('client_secret_basic'),
  scope: scope.default(allScopes),
})
/**
 * An app that registers itself: the addresses that it may have are registered and answered, the others left out (RFC 7591
 * 3.2.1 lets a server replace values). One of them has to stay.
 */
const selfRegistered = newClient.extend({
  redirect_uris: z
    .array(z.string())
    .max(10)
    .transform((all) => {
      const allowed = all.filter(isAllowedRedirectUri)
      return allowed.length > 0 ? allowed : all
    })
    .pipe(fields.shape.redirect_uris),
})
/** Absent fields stay as they are. */
const clientChanges = fields.partial()

/** The document of an app is for many servers: grant types and scopes that are not known here are left out. It can have no secret. */
const document = newClient.extend({
  client_id: z.string(),
  client_name: fields.shape.client_name,
  grant_types: z
    .array(z.string())
    .transform((types) => types.filter((type) => grantTypes.safeParse(type).success))
    .pipe(grant_types)
    .default(['authorization_code', 'refresh_token']),
  response_types: z
    .array(z.string())
    .refine((types) => types.includes('code'), 'must have code')
    .transform((): 'code'[] => ['code'])
    .default(['code']),
  token_endpoint_auth_method: z.literal('none', 'must be none').default('none'),
  client_secret: z.never('must not be there').optional(),
  scope: z
    .string()
    .max(1_000)
    .transform((text) => parseScopes(text).known.join(' ') || allScopes)
    .default(allScopes),
})

export type ClientMetadata = z.output<typeof newClient>
export type ClientChanges = z.output<typeof clientChanges>

/** Treats empty strings and null as absent: clients send them. */
const loosely = <Shape extends z.ZodType>(inner: Shape) =>
  z.preprocess(
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== ''))
        : value,
    inner,
  )

export const newClientBody = loosely(newClient)
export const selfRegisteredBody = loosely(selfRegistered)
export const changedClientBody = loosely(clientChanges)
export const documentBody = loosely(document)

/** The name of an app without one: the host, or the scheme, of its redirect address. */
export function nameOf(metadata: Pick<ClientMetadata, 'client_name' | 'redirect_uris'>): string {
  const { hostname, protocol } = new URL(metadata.redirect_uris[0] ?? '')
  return metadata.client_name ?? (hostname || protocol.slice(0, -1)).slice(0, 200)
}
