import { authRoute } from '../call.ts'
import { serviceOnly } from '../guards.ts'
import { getFactors, removeFactor } from './factors.ts'
import { generateLink } from './generate-link.ts'
import { inviteUser } from './invite.ts'
import { getUsers } from './list-users.ts'
import { changeUserAsOperator, createUser, deleteUser, readUser } from './users.ts'

/** The admin API of the protocol: for the operator's programs, which hold the API key of role `service_role`. */
export const adminRoutes = [
  authRoute('GET', '/admin/users', [serviceOnly], getUsers),
  authRoute('POST', '/admin/users', [serviceOnly], createUser),
  authRoute('GET', '/admin/users/:user', [serviceOnly], readUser),
  authRoute('PUT', '/admin/users/:user', [serviceOnly], changeUserAsOperator),
  authRoute('DELETE', '/admin/users/:user', [serviceOnly], deleteUser),
  authRoute('GET', '/admin/users/:user/factors', [serviceOnly], getFactors),
  authRoute('DELETE', '/admin/users/:user/factors/:factor', [serviceOnly], removeFactor),
  authRoute('POST', '/admin/generate_link', [serviceOnly], generateLink),
  authRoute('POST', '/invite', [serviceOnly], inviteUser),
]
