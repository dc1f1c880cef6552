import type { Handler } from '../call.ts'
import { getFactors, removeFactor } from './factors.ts'
import { generateLink } from './generate-link.ts'
import { invite } from './invite.ts'
import { getUsers } from './list-users.ts'
import { serviceOnly } from './service-only.ts'
import { changeUser, createUser, deleteUser, readUser } from './users.ts'

/** The admin API of the protocol: for programs of the operator, who hold the key of role `service_role`. */
export const adminRoutes: Record<string, Record<string, Handler>> = {
  '/admin/users': { GET: serviceOnly(getUsers), POST: serviceOnly(createUser) },
  '/admin/users/:user': {
    GET: serviceOnly(readUser),
    PUT: serviceOnly(changeUser),
    DELETE: serviceOnly(deleteUser),
  },
  '/admin/generate_link': { POST: serviceOnly(generateLink) },
  '/invite': { POST: serviceOnly(invite) },
  '/admin/users/:user/factors': { GET: serviceOnly(getFactors) },
  '/admin/users/:user/factors/:factor': { DELETE: serviceOnly(removeFactor) },
}
