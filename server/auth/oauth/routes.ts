import { serviceOnly } from '../admin/service-only.ts'
import type { Handler } from '../call.ts'
import { limited, policies } from '../limits.ts'
import { signedIn } from '../signed-in.ts'
import {
  changeClient,
  createClient,
  deleteClient,
  getClient,
  listAllClients,
  regenerateSecret,
} from './admin-clients.ts'
import { authorizeApp } from './authorize.ts'
import { decideAuthorization, giveUpAuthorization, readAuthorization } from './consent.ts'
import { getServerMetadata } from './discovery.ts'
import { listGrants, revokeGrant } from './grants.ts'
import { registerClient } from './register.ts'
import { revokeToken } from './revoke.ts'
import { issueAppToken } from './token-endpoint.ts'
import { getUserInfo } from './userinfo.ts'

const { app, registration } = policies

/** The paths of the OAuth 2.1 server, by which other apps act for people; a part of the auth door's list. */
export const oauthRoutes: Record<string, Record<string, Handler>> = {
  '/oauth/authorize': { GET: limited(app, authorizeApp) },
  '/oauth/authorizations/:authorization': { GET: limited(app, signedIn(readAuthorization)) },
  '/oauth/authorizations/:authorization/consent': {
    POST: limited(app, signedIn(decideAuthorization)),
  },
  '/oauth/authorizations/:authorization/release': {
    POST: limited(app, signedIn(giveUpAuthorization)),
  },
  '/oauth/token': { POST: limited(app, issueAppToken) },
  '/oauth/revoke': { POST: limited(app, revokeToken) },
  '/oauth/userinfo': { GET: limited(app, getUserInfo), POST: limited(app, getUserInfo) },
  '/oauth/clients/register': { POST: limited(registration, registerClient) },
  '/user/oauth/grants': { GET: signedIn(listGrants), DELETE: signedIn(revokeGrant) },
  '/admin/oauth/clients': { GET: serviceOnly(listAllClients), POST: serviceOnly(createClient) },
  '/admin/oauth/clients/:client': {
    GET: serviceOnly(getClient),
    PUT: serviceOnly(changeClient),
    DELETE: serviceOnly(deleteClient),
  },
  '/admin/oauth/clients/:client/regenerate_secret': { POST: serviceOnly(regenerateSecret) },
  '/.well-known/openid-configuration': { GET: getServerMetadata },
  '/.well-known/oauth-authorization-server': { GET: getServerMetadata },
}
