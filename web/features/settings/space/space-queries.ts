import { queryOptions } from '@tanstack/react-query'
import type { SpaceRole } from '#domain/access/space-roles.ts'
import type { ApiRows } from '#domain/database.generated.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { Space } from '#web/session/space/account-store.ts'
import type { TabProps } from '../settings-section.tsx'

/** A tab of the settings of a space. */
export interface SpaceTabProps extends TabProps {
  personId: string
  space: Space
}

export type Member = ApiRows['members']
export type Invitation = ApiRows['invitations']

const memberColumns = 'account_id,person_id,display_name,email,role,created_at,last_seen_at'

/** The people of a space, in the order in which they came. */
export function membersQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'members', 'list'],
    queryFn: ({ signal }): Promise<Member[]> =>
      answerOf(
        tables.from('members').select(memberColumns).order('created_at').order('person_id'),
        signal,
      ),
  })
}

const invitationColumns = 'id,account_id,role,email,created_at,expires_at,created_by,used_by'

/** Open and used invitations, the newest first. For owners. */
export function invitationsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'members', 'invitations'],
    queryFn: ({ signal }): Promise<Invitation[]> =>
      answerOf(
        tables
          .from('invitations')
          .select(invitationColumns)
          .order('created_at', { ascending: false })
          .order('id'),
        signal,
      ),
  })
}

/** Acts of owners; each rejects with the sentence of the server. */
export const spaceCalls = {
  setRole: (person: string, role: SpaceRole) =>
    answerOf(tables.rpc('set_member_role', { _person: person, _role: role })),
  remove: (person: string) => answerOf(tables.rpc('remove_member', { _person: person })),
  /** @returns the link, which the server never says again */
  invite: async (role: SpaceRole, email: string): Promise<string> =>
    String(
      await answerOf(
        tables.rpc('create_invitation', { _role: role, ...(email !== '' && { _email: email }) }),
      ),
    ),
  renew: async (id: string): Promise<string> =>
    String(await answerOf(tables.rpc('renew_invitation', { _id: id }))),
  withdraw: (id: string) => answerOf(tables.rpc('revoke_invitation', { _id: id })),
  update: (name: string, slug: string) =>
    answerOf(tables.rpc('update_space', { _name: name, _slug: slug })),
  erase: (slug: string) => answerOf(tables.rpc('delete_space', { _slug: slug })),
  leave: () => answerOf(tables.rpc('leave_space', {})),
}

/** The server's sentence for people below a notice; of other errors only the notice. */
export function refusalWords(error: Error): { description?: string } {
  const isRule =
    'code' in error && ['P0001', 'P0002', '22023', '23505'].includes(String(error.code))
  return isRule ? { description: error.message } : {}
}
