import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Factor, User } from './users.ts'
import { ifDefined } from '../primitives/if-defined.ts'

/** Fields of every presented user. The user that a sign-up may only pretend to have made has little more. */
type PresentableUser = Partial<User> &
  Pick<
    User,
    'id' | 'email' | 'user_metadata' | 'app_metadata' | 'created_at' | 'updated_at' | 'identities'
  >

/** The user object of the auth protocol, field by field: nothing else of an account ever leaves. */
export function presentUser(user: PresentableUser): Record<string, unknown> {
  const { factors = [] } = user
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    email_confirmed_at: user.email_confirmed_at ?? undefined,
    phone: '',
    confirmed_at: user.email_confirmed_at ?? undefined,
    new_email: user.new_email ?? undefined,
    confirmation_sent_at: user.confirmation_sent_at ?? undefined,
    recovery_sent_at: user.recovery_sent_at ?? undefined,
    email_change_sent_at: user.email_change_sent_at ?? undefined,
    invited_at: user.invited_at ?? undefined,
    banned_until: user.is_banned ? user.banned_until : undefined,
    last_sign_in_at: user.last_sign_in_at ?? undefined,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    identities: user.identities.map((identity) => ({
      ...identity,
      last_sign_in_at: isoTime(identity.last_sign_in_at),
      created_at: isoTime(identity.created_at),
      updated_at: isoTime(identity.updated_at),
      email: identity.identity_data['email'],
    })),
    factors: factors.length > 0 ? factors.map(presentFactor) : undefined,
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: false,
  }
}

/** The user for an app that acts for them: id, and the fields that its scopes open. */
export function presentUserToApp(
  user: User,
  scopes: ReadonlySet<OAuthScope>,
): Record<string, unknown> {
  const { user_metadata, created_at, updated_at } = user
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    ...(scopes.has('email') && { email: user.email ?? '' }),
    ...(scopes.has('profile') && { user_metadata, created_at, updated_at }),
  }
}

export function presentFactor(factor: Factor): Record<string, unknown> {
  return {
    ...factor,
    phone: factor.phone ?? undefined,
    created_at: isoTime(factor.created_at),
    updated_at: isoTime(factor.updated_at),
    last_challenged_at: isoTime(factor.last_challenged_at),
  }
}

/** Times inside of jsonb are text, with another precision. */
function isoTime(at: string | null): string | undefined {
  return ifDefined(at, (time) => new Date(time).toISOString())
}
