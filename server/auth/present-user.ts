import type { OAuthScope } from '#domain/oauth-scopes.ts'
import type { Factor, UserIdentity, User } from './users.ts'

/** The user object of the auth protocol, field by field: nothing else of an account ever leaves. */
export function presentUser(user: User): Record<string, unknown> {
  const confirmed = moment(user.email_confirmed_at)
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    ...(confirmed && { email_confirmed_at: confirmed }),
    phone: user.phone ?? '',
    ...(user.phone_confirmed_at && { phone_confirmed_at: moment(user.phone_confirmed_at) }),
    ...(confirmed && { confirmed_at: confirmed }),
    ...(user.new_email && { new_email: user.new_email }),
    ...(user.confirmation_sent_at && { confirmation_sent_at: moment(user.confirmation_sent_at) }),
    ...(user.recovery_sent_at && { recovery_sent_at: moment(user.recovery_sent_at) }),
    ...(user.email_change_sent_at && { email_change_sent_at: moment(user.email_change_sent_at) }),
    ...(user.invited_at && { invited_at: moment(user.invited_at) }),
    ...(user.is_banned && { banned_until: moment(user.banned_until) }),
    ...(user.last_sign_in_at && { last_sign_in_at: moment(user.last_sign_in_at) }),
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    identities: user.identities.map(presentIdentity),
    ...(user.factors.length > 0 && { factors: user.factors.map(presentFactor) }),
    created_at: moment(user.created_at),
    updated_at: moment(user.updated_at),
    is_anonymous: false,
  }
}

/** The user for an app that acts for them: who it is, and what its scopes open. */
export function presentUserToApp(
  user: User,
  scopes: ReadonlySet<OAuthScope>,
): Record<string, unknown> {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    ...(scopes.has('email') && { email: user.email ?? '' }),
    ...(scopes.has('profile') && {
      user_metadata: user.user_metadata,
      created_at: moment(user.created_at),
      updated_at: moment(user.updated_at),
    }),
  }
}

export function presentFactor(factor: Factor): Record<string, unknown> {
  return {
    id: factor.id,
    friendly_name: factor.friendly_name,
    factor_type: factor.factor_type,
    status: factor.status,
    ...(factor.phone && { phone: factor.phone }),
    created_at: moment(factor.created_at),
    updated_at: moment(factor.updated_at),
    ...(factor.last_challenged_at && { last_challenged_at: moment(factor.last_challenged_at) }),
  }
}

function presentIdentity(identity: UserIdentity): Record<string, unknown> {
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
