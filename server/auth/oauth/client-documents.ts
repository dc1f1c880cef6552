import { onlyRow } from '../../postgres/rows.ts'
import { type AuthCall, transaction } from '../call.ts'
import { oauthErrors } from '../errors.ts'
import { countRequest } from '../guards.ts'
import { parseJson } from '../../primitives/parse-json.ts'
import { recordEvent } from '../record-event.ts'
import { type ClientMetadata, documentBody, nameOf } from './client-metadata.ts'
import { type Client, clientColumns, findClient, deleteRequests } from './clients.ts'
import { looksLikeProduct } from './product-name.ts'

/** As the draft recommends. */
const maxBytes = 5 * 1_024
const timeoutMs = 5_000
/** How long a document that was read is good for. */
const freshMs = 3_600_000

/**
 * The app of a request. An id that is an https address is that of a document about the app
 * (draft-ietf-oauth-client-id-metadata-document): it is read when it was not within the hour. The token endpoint reads nothing:
 * there the app is known from here.
 *
 * @throws {OAuthError} invalid_client_metadata when the document cannot be used
 */
export async function clientOfRequest(call: AuthCall, id: string): Promise<Client | undefined> {
  const known = await transaction(call, (db) => findClient(db, id))
  if (!call.deps.config.auth.oauthRegistration || !isDocumentUrl(id)) return known
  if (known && Date.now() - known.updated_at.getTime() < freshMs) return known
  // It is a registration, and a request that strangers make this server send.
  await countRequest(call, 'registration')
  const metadata = await readDocument(call, id)
  const client = await keepClient(call, id, metadata, known)
  if (!known) recordEvent(call, 'app registered', { client_id: client.id })
  return client
}

/** Only in its normal form: an app has one address. */
function isDocumentUrl(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text)) return false
  const { protocol, href, pathname, hash, username, password } = new URL(text)
  if (protocol !== 'https:' || href !== text || pathname === '/') return false
  return hash === '' && !text.includes('#') && username + password === ''
}

async function readDocument(
  { deps: { getPublic }, info }: AuthCall,
  url: string,
): Promise<ClientMetadata> {
  const headers = { Accept: 'application/json' }
  const result = await getPublic(url, { headers, timeoutMs, allowsPrivate: false })
  if ('error' in result || result.status !== 200 || Buffer.byteLength(result.answer) > maxBytes) {
    // The reason would reveal the network of this server.
    info.log.info({ url, result: 'error' in result ? result.error : result.status }, 'app unread')
    throw unusable(`it must be JSON of up to ${maxBytes} bytes at a public address`)
  }
  const parsed = documentBody.safeParse(parseJson(result.answer))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw unusable([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
  }
  const { client_id: self, ...metadata } = parsed.data
  if (self !== url) throw unusable('client_id: must be the address of the document')
  if (looksLikeProduct(nameOf(metadata)))
    throw unusable('client_name: must not contain the name of this product')
  return metadata
}

const unusable = (why: string) =>
  oauthErrors.invalidClientMetadata(`The document of the app cannot be used: ${why}`)

/** Requests on their way do not outlive their address. */
function keepClient(
  call: AuthCall,
  url: string,
  metadata: ClientMetadata,
  known: Client | undefined,
): Promise<Client> {
  const { client_uri = null, logo_uri = null, redirect_uris, grant_types, scope } = metadata
  return transaction(call, async (db) => {
    const client = await onlyRow<Client>(
      db,
      `insert into auth.oauth_clients (document_url, client_name, client_uri, logo_uri, redirect_uris, grant_types, scope)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (document_url) do update set secret_hash = null, token_endpoint_auth_method = 'none', updated_at = now(),
          (client_name, client_uri, logo_uri, redirect_uris, grant_types, scope) = (excluded.client_name, excluded.client_uri,
            excluded.logo_uri, excluded.redirect_uris, excluded.grant_types, excluded.scope)
        returning ${clientColumns}`,
      [url, nameOf(metadata), client_uri, logo_uri, redirect_uris, grant_types, scope],
    )
    const before = known?.redirect_uris ?? redirect_uris
    if (before.some((uri) => !redirect_uris.includes(uri))) await deleteRequests(db, client.id)
    return client
  })
}
