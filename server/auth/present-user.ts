import type { Identity, User } from './users.ts'

/** The user object of the auth protocol, field by field: nothing else of an account ever leaves. */
export function presentUser(user: User): Record<string, unknown> {
  const confirmed = moment(user.email_confirmed_at)
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    ...(confirmed && { email_confirmed_at: confirmed }),
    phone: '',
    ...(confirmed && { confirmed_at: confirmed }),
    ...(user.last_sign_in_at && { last_sign_in_at: moment(user.last_sign_in_at) }),
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    identities: user.identities.map(presentIdentity),
    created_at: moment(user.created_at),
    updated_at: moment(user.updated_at),
    is_anonymous: false,
  }
}

function presentIdentity(identity: Identity): Record<string, unknown> {
  return {
    identity_id: identity.identity_id,
    id: identity.id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    last_sign_in_at: moment(identity.last_sign_in_at),
    created_at: moment(identity.created_at),
    updated_at: moment(identity.updated_at),
    email: identity.identity_data['email'],
  }
}

function moment(at: Date | string | null): string | undefined {
  return at === null ? undefined : new Date(at).toISOString()
}
