import * as z from 'zod'
import { spaceRoles } from '#domain/access/space-roles.ts'
import { plural } from '../../primitives/plural.ts'
import { ToolError } from '../tables.ts'
import {
  askFirst,
  confirmationInput,
  confirmationOutput,
  defineTool,
  onceDone,
  type ToolContext,
} from '../tool.ts'

const role = z.enum(spaceRoles)
const person = z.object({
  person_id: z.uuid(),
  display_name: z.string().nullable(),
  email: z.string().nullable().describe('For owners of the space.'),
  role,
  last_seen_at: z.string().nullable(),
})
const invitation = z.object({
  id: z.uuid(),
  role,
  email: z.string().nullable().describe('Null for a link that anybody may use.'),
  expires_at: z.string(),
  used_by: z.uuid().nullable(),
})

/** @throws {ToolError} for an app of the person's own account */
function requireSpace({ agent }: ToolContext): string {
  if (agent.accountId === agent.personId)
    throw new ToolError(
      'This app acts for the person’s own account, which has no members. Connect it again and choose a space.',
    )
  return agent.accountId
}

export const listPeople = defineTool({
  name: 'list_people',
  title: 'List the people of the space',
  description:
    'Lists members and invitations of the space that the app acts for. Invitations are for its owners. Changes nothing.',
  scopes: ['members:read'],
  effect: 'read',
  input: z.object({}),
  output: z.object({ members: z.array(person), invitations: z.array(invitation) }),
  async run(context) {
    const account = { account_id: `eq.${requireSpace(context)}` }
    const select = (shape: z.ZodObject) => Object.keys(shape.shape).join(',')
    const members = await context.tables.ask<z.input<typeof person>[]>('members', {
      query: { ...account, select: select(person), order: 'created_at' },
    })
    const isOwner = members.some(
      (one) => one.person_id === context.agent.personId && one.role === 'owner',
    )
    const invitations = isOwner
      ? await context.tables.ask<z.input<typeof invitation>[]>('invitations', {
          query: { ...account, select: select(invitation), order: 'created_at.desc' },
        })
      : []
    return { members, invitations }
  },
  summarize: ({ members, invitations }) =>
    `${plural(members.length, 'member')}, ${plural(invitations.length, 'invitation')}.`,
})

export const invitePerson = defineTool({
  name: 'invite_person',
  title: 'Invite a person to the space',
  description:
    'Makes a link that works once, for 7 days, and makes whoever opens it a member of the space. The first call changes nothing: it answers with a confirmation. Ask the person, then call again with it.',
  scopes: ['members:write'],
  effect: 'destroy',
  input: z.object({
    role,
    email: z.string().max(320).optional().describe('Only this address may use the link.'),
    ...confirmationInput,
  }),
  output: z.object({ ...confirmationOutput, link: z.string().optional() }),
  async run(context, { role: wanted, email, confirmation }) {
    const about = { space: requireSpace(context), role: wanted, email: email ?? '' }
    const first = askFirst(
      context,
      { tool: 'invite_person', about },
      confirmation,
      `${email ?? 'Whoever gets the link'} can become a member of the space, as ${wanted}`,
    )
    if (first) return first
    const link = await context.tables.ask<string>('rpc/create_invitation', {
      method: 'POST',
      body: { _role: wanted, ...(email !== undefined && { _email: email }) },
    })
    return { status: 'done' as const, link }
  },
  summarize: onceDone(({ link }) => `The link, which is shown this once: ${link}`),
})

export const withdrawInvitation = defineTool({
  name: 'withdraw_invitation',
  title: 'Withdraw an invitation',
  description: 'Ends the link of an invitation to the space that nobody has used.',
  scopes: ['members:write'],
  effect: 'change',
  input: z.object({ id: z.uuid() }),
  output: z.object({ id: z.uuid() }),
  async run(context, { id }) {
    requireSpace(context)
    await context.tables.ask('rpc/revoke_invitation', { method: 'POST', body: { _id: id } })
    return { id }
  },
  summarize: () => 'The invitation is withdrawn.',
})

export const setMemberRole = defineTool({
  name: 'set_member_role',
  title: 'Change the role of a member',
  description:
    'Makes a member of the space an owner, editor or viewer. The first call changes nothing: it answers with a confirmation. Ask the person, then call again with it.',
  scopes: ['members:write'],
  effect: 'destroy',
  input: z.object({ person_id: z.uuid(), role, ...confirmationInput }),
  output: z.object(confirmationOutput),
  async run(context, { person_id: id, role: wanted, confirmation }) {
    const first = askFirst(
      context,
      { tool: 'set_member_role', about: { space: requireSpace(context), id, role: wanted } },
      confirmation,
      `The member ${id} will be ${wanted} of the space`,
    )
    if (first) return first
    await context.tables.ask('rpc/set_member_role', {
      method: 'POST',
      body: { _person: id, _role: wanted },
    })
    return { status: 'done' as const }
  },
  summarize: onceDone(() => 'The role has changed.'),
})

export const removeMember = defineTool({
  name: 'remove_member',
  title: 'Remove a member from the space',
  description:
    'Ends a membership of the space, with the keys and apps of the member. The first call changes nothing: it answers with a confirmation. Ask the person, then call again with it.',
  scopes: ['members:write'],
  effect: 'destroy',
  input: z.object({ person_id: z.uuid(), ...confirmationInput }),
  output: z.object(confirmationOutput),
  async run(context, { person_id: id, confirmation }) {
    const first = askFirst(
      context,
      { tool: 'remove_member', about: { space: requireSpace(context), id } },
      confirmation,
      `The member ${id} will have no access to the space any more`,
    )
    if (first) return first
    await context.tables.ask('rpc/remove_member', { method: 'POST', body: { _person: id } })
    return { status: 'done' as const }
  },
  summarize: onceDone(() => 'The member is removed.'),
})
