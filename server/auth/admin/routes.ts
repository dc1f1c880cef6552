import { authRoute } from '../call.ts'
import { serviceOnly } from '../guards.ts'
import { generateLink, inviteUser } from './generate-link.ts'
import {
  changeUserAsOperator,
  createUser,
  deleteFactorAsOperator,
  deleteUser,
  getFactors,
  getUsers,
  readUser,
} from './users.ts'

/** The admin API of the protocol: for the operator's programs, which hold the API key of role `service_role`. */
export const adminRoutes = [
  authRoute('GET', '/admin/users', [serviceOnly], getUsers),
  authRoute('POST', '/admin/users', [serviceOnly], createUser),
  authRoute('GET', '/admin/users/:user', [serviceOnly], readUser),
  authRoute('PUT', '/admin/users/:user', [serviceOnly], changeUserAsOperator),
  authRoute('DELETE', '/admin/users/:user', [serviceOnly], deleteUser),
  authRoute('GET', '/admin/users/:user/factors', [serviceOnly], getFactors),
  authRoute('DELETE', '/admin/users/:user/factors/:factor', [serviceOnly], deleteFactorAsOperator),
  authRoute('POST', '/admin/generate_link', [serviceOnly], generateLink),
  authRoute('POST', '/invite', [serviceOnly], inviteUser),
]
