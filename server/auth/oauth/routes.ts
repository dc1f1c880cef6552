import { authRoute } from '../call.ts'
import { bothFactors, limit, serviceOnly, signedIn } from '../guards.ts'
import { appBearer, getUserInfo } from './app-tokens.ts'
import { authorizeApp } from './authorize.ts'
import {
  decideAuthorization,
  giveUpAuthorization,
  listGrants,
  readAuthorization,
  revokeGrant,
} from './consent.ts'
import { getServerMetadata } from './discovery.ts'
import {
  changeClient,
  createClient,
  deleteClient,
  getClient,
  listAllClients,
  regenerateSecret,
  registerClient,
} from './register.ts'
import { issueAppToken, revokeToken } from './token-endpoint.ts'

const asPerson = [limit('app'), signedIn, bothFactors] as const

/** The OAuth 2.1 server, by which apps act for people. */
export const oauthRoutes = [
  authRoute('GET', '/oauth/authorize', [limit('app')], authorizeApp),
  authRoute('GET', '/oauth/authorizations/:authorization', asPerson, readAuthorization),
  authRoute('POST', '/oauth/authorizations/:authorization/consent', asPerson, decideAuthorization),
  authRoute('POST', '/oauth/authorizations/:authorization/release', asPerson, giveUpAuthorization),
  authRoute('POST', '/oauth/token', [limit('app')], issueAppToken),
  authRoute('POST', '/oauth/revoke', [limit('app')], revokeToken),
  authRoute('GET', '/oauth/userinfo', [limit('app'), appBearer], getUserInfo),
  authRoute('POST', '/oauth/userinfo', [limit('app'), appBearer], getUserInfo),
  authRoute('POST', '/oauth/clients/register', [limit('registration')], registerClient),
  authRoute('GET', '/user/oauth/grants', [signedIn], listGrants),
  authRoute('DELETE', '/user/oauth/grants', [signedIn], revokeGrant),
  authRoute('GET', '/admin/oauth/clients', [serviceOnly], listAllClients),
  authRoute('POST', '/admin/oauth/clients', [serviceOnly], createClient),
  authRoute('GET', '/admin/oauth/clients/:client', [serviceOnly], getClient),
  authRoute('PUT', '/admin/oauth/clients/:client', [serviceOnly], changeClient),
  authRoute('DELETE', '/admin/oauth/clients/:client', [serviceOnly], deleteClient),
  authRoute(
    'POST',
    '/admin/oauth/clients/:client/regenerate_secret',
    [serviceOnly],
    regenerateSecret,
  ),
  authRoute('GET', '/.well-known/openid-configuration', [], getServerMetadata),
  authRoute('GET', '/.well-known/oauth-authorization-server', [], getServerMetadata),
]
