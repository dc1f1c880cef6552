import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { connectAgent } from './agent.ts'

let server: TestServer
let agent: Awaited<ReturnType<typeof connectAgent>>
beforeAll(async () => {
  server = await sharedServer()
  agent = await connectAgent(server, await makeUser(server, { plan: 'business' }))
})
const ajv = new Ajv2020({ strict: false, validateFormats: false })

it('every tool has a description, with schemas that are valid JSON Schema 2020-12', async () => {
  const { tools } = await agent.client.listTools()
  expect(tools).toHaveLength(30)
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
    expect(title).toBeTruthy()
    expect(description?.length).toBeGreaterThan(40)
    expect(annotations).toMatchObject({ openWorldHint: false })
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema).toMatchObject({ type: 'object' })
      expect([name, ajv.validateSchema(schema ?? { type: 7 })]).toEqual([name, true])
    }
  }
  expect(ajv.validateSchema({ type: 7 })).toBe(false)
  const hints = tools.map(({ name, annotations }) => [
    name,
    annotations?.readOnlyHint,
    annotations?.destructiveHint,
  ])
  expect(hints.filter(([, reads]) => reads).map(([name]) => name)).toEqual([
    'find_links',
    'get_link',
    'list_placements',
    'get_link_rules',
    'simulate_visit',
    'list_domains',
    'check_domain',
    'read_report',
    'find_popups',
    'list_leads',
    'get_bio_page',
    'list_people',
  ])
  expect(hints.filter(([, , destroys]) => destroys).map(([name]) => name)).toEqual([
    'change_link',
    'disable_link',
    'rename_link',
    'release_alias',
    'delete_link',
    'move_links',
    'confirm_import',
    'save_link_rules',
    'attach_popup',
    'edit_bio_page',
    'invite_person',
    'withdraw_invitation',
    'set_member_role',
    'remove_member',
  ])
})

it('the server answers fit the schemas: arguments that the schema refuses, the tool refuses', async () => {
  const { tools } = await agent.client.listTools()
  const of = (wanted: string) => tools.find(({ name }) => name === wanted)
  // After listing, the official client checks structured content against the output schema and throws.
  const use = (name: string, given: Record<string, unknown>) =>
    agent.client.callTool({ name, arguments: given })
  await use('create_link', { original_url: 'https://example.com/', short_code: 'fits-1' })
  const { structuredContent: { id } = {} } = (await use('draft_popup', { title: 'Sale' })) as {
    structuredContent?: { id?: string }
  }
  const checked = await use('check_import', { rows: [{ original_url: 'https://example.com/in' }] })
  const { import: imported } = checked.structuredContent as { import: { id: string } }
  await server.sql(
    `insert into app.domains (user_id, host) select id, 'fits.example' from auth.users`,
  )
  const made = ['create_link', 'draft_popup']
  const answers: [string, Record<string, unknown>][] = [
    ['find_links', {}],
    ['get_link', { short_code: 'fits-1' }],
    ['change_link', { short_code: 'fits-1', original_url: 'https://example.com/2' }],
    ['disable_link', { short_code: 'fits-1' }],
    ['get_link_rules', { short_code: 'fits-1' }],
    [
      'save_link_rules',
      {
        short_code: 'fits-1',
        version: 0,
        rules: [{ when: [{ fact: 'country', is: ['DE'] }], to: 'https://example.com/3' }],
      },
    ],
    [
      'create_placements',
      { short_code: 'fits-1', names: ['Table 1', 'Window'], utm: { utm_source: 'print' } },
    ],
    ['list_placements', { short_code: 'fits-1' }],
    ['check_import', { id: imported.id }],
    ['confirm_import', { id: imported.id }],
    ['rename_link', { short_code: 'fits-1', new_code: 'fits-2' }],
    ['release_alias', { short_code: 'fits-1' }],
    ['rename_link', { short_code: 'fits-2', new_code: 'fits-1' }],
    ['simulate_visit', { short_code: 'fits-1', visit: { country: 'DE' } }],
    ['list_domains', {}],
    ['check_domain', { host: 'fits.example' }],
    ['read_report', { by: 'total' }],
    ['read_report', { by: 'country' }],
    ['read_report', { by: 'utm_campaign' }],
    ['find_popups', {}],
    ['list_leads', {}],
    ['attach_popup', { short_code: 'fits-1', popup_id: id }],
    ['edit_bio_page', { slug: 'fits-page', title: 'Fits', links: [] }],
    ['get_bio_page', {}],
    ['delete_link', { short_code: 'fits-1' }],
  ]
  // With an agent of a space: test/spaces/apps-of-spaces.test.ts.
  const ofSpaces =
    'move_links list_people invite_person withdraw_invitation set_member_role remove_member'.split(
      ' ',
    )
  const called = new Set([...made, ...ofSpaces, ...answers.map(([name]) => name)])
  expect(tools.filter(({ name }) => !called.has(name))).toEqual([])
  for (const [name, given] of answers) {
    const answer = await use(name, given)
    expect([name, answer['isError']]).toEqual([name, undefined])
    const validate = ajv.compile(of(name)?.outputSchema ?? {})
    expect([name, validate(answer['structuredContent'])]).toEqual([name, true])
  }
  const wrong: [string, Record<string, unknown>][] = [
    ['get_link', {}],
    ['create_link', { original_url: 7 }],
    ['find_links', { sort: 'luck' }],
    ['list_leads', { limit: 101 }],
    ['save_link_rules', { short_code: 'fits-1', version: 0, rules: 'none' }],
    ['create_placements', { short_code: 'fits-1', names: [] }],
    ['attach_popup', { short_code: 'fits-1', popup_id: 'none' }],
    ['edit_bio_page', { links: [{ title: 'No address' }] }],
  ]
  const strict = new Ajv2020({
    strict: false,
    formats: { uuid: /^[0-9a-f-]{36}$/, 'date-time': true },
  })
  for (const [name, given] of wrong) {
    expect([name, strict.compile(of(name)?.inputSchema ?? {})(given)]).toEqual([name, false])
    expect([name, (await use(name, given))['isError']]).toEqual([name, true])
  }
})
