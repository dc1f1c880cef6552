import type { Context } from '#server/context.ts'
import { type FrontDoor, openFrontDoor, type SignedUp } from './front-door.ts'
import { type Target, visitOverTime } from './visits.ts'

type Database = Context['database']

/** 200 characters without a blank. */
const endless = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(5).slice(0, 200)
const rightToLeft = 'مكتبة الميناء: قائمة القراءة لفصل الخريف'
const otherScripts = [
  '秋の読書リスト、港の本屋より',
  'Осенний список для чтения',
  'รายการหนังสือฤดูใบไม้ร่วงของร้านหนังสือริมท่าเรือ',
]

/** 60 tags, one of them as long as a tag may be. */
const tags = Array.from({ length: 60 }, (_, n) =>
  n === 0 ? 'w'.repeat(40) : ['خريف', '秋', 'newsletter', 'poster'][n % 4] + ` ${n}`,
)

const links: Record<string, unknown>[] = [
  { title: endless, short_code: 'x'.repeat(50), tags: tags.slice(0, 20) },
  { title: rightToLeft, short_code: 'right-to-left', tags: tags.slice(20, 40) },
  { title: otherScripts[0], tags: tags.slice(40) },
  { title: otherScripts[1], original_url: `https://example.com/${'long-path/'.repeat(190)}` },
  { title: otherScripts[2], max_clicks: 3, note: endless.repeat(5) },
  { title: 'Starts later', starts_at: '2099-12-01T08:00:00Z' },
  { title: 'Has ended', ends_at: '2020-01-01T08:00:00Z', password: 'sesame' },
  { original_url: `https://${'sub.'.repeat(40)}example.com/` },
]

const rules = [
  {
    id: 'phones',
    when: [
      { fact: 'country', is: ['DE', 'AT', 'CH', 'FR', 'JP', 'US', 'GB'] },
      { fact: 'hours', is: ['22:00-06:00'], zone: 'Asia/Tokyo' },
      { fact: 'query', is: ['=mail', 'empty'], name: 'ref' },
    ],
    to: 'https://example.com/a-rather-long-address-for-visitors-on-phones',
  },
  {
    id: 'rest',
    else: true,
    split: [
      { id: 'one', weight: 70 },
      { id: 'two', to: 'https://example.com/two', weight: 30 },
    ],
  },
]

/** Accounts for pictures: `hard` on Business with texts that are hard to lay out, `new` without anything. */
export async function makeHardCases(
  { context, url }: { context: Context; url: string },
  password: string,
): Promise<void> {
  const door = openFrontDoor(url, context.tokens.anonKey)
  const signUp = (name: string, data: Record<string, unknown>) =>
    door.signUp({ email: `${name}@demo.example`, password, data })
  await signUp('new', {})
  const account = await signUp('hard', { display_name: `نور الدين ${endless.slice(0, 60)}` })
  if (account === undefined) return
  await context.database.transactionAs({ role: 'hoplet_billing' }, (db) =>
    db.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [account.id]),
  )
  const popup = await makePopups(door, account)
  const targets = await makeLinks(door, account, popup)
  await makePage(door, account, popup)
  await addLeads(context.database, account.id, popup)
  for (const text of [endless, 'Newsletter went out']) {
    const day = new Date(Date.now() - (text === endless ? 3 : 12) * 86_400_000)
    await door.insert(account.token, 'day_notes', {
      user_id: account.id,
      day: day.toISOString().slice(0, 10),
      text: text.slice(0, 200),
    })
  }
  await visitOverTime(context.database, targets)
  for (const code of ['right-to-lft', 'y'.repeat(50)]) await fetch(`${url}/${code}`)
}

async function makePopups(door: FrontDoor, { id, token }: SignedUp): Promise<string> {
  const texts = { user_id: id, collect_email: true, cta_url: '' }
  await door.insert(token, 'popups', {
    ...texts,
    title: rightToLeft,
    description: rightToLeft.repeat(10).slice(0, 500),
    cta_text: 'اشترك الآن',
  })
  const popup = await door.insert(token, 'popups', {
    ...texts,
    title: endless,
    description: endless,
    cta_text: endless.slice(0, 50),
    consent_text: endless,
  })
  return popup.id
}

async function makeLinks(door: FrontDoor, { id, token }: SignedUp, popup: string) {
  const targets: Target[] = []
  for (const [index, link] of links.toReversed().entries()) {
    const row = await door.insert(token, 'shortened_urls', {
      original_url: `https://example.com/${index}`,
      user_id: id,
      ...link,
    })
    targets.push({
      kind: 'link',
      id: row.id,
      name: String(row['short_code']),
      visits: 40 + index * 30,
      // Its addresses are hard cases too.
      popup: { id: popup, collectsEmail: false },
    })
    if (link['short_code'] === 'right-to-left')
      await door.call(token, 'save_link_rules', { _link: row.id, _rules: rules, _version: 0 })
    if (index === links.length - 1)
      await door.update(token, 'shortened_urls', row.id, { show_popup: true, popup_id: popup })
  }
  return targets
}

async function makePage(door: FrontDoor, { token }: SignedUp, popup: string): Promise<void> {
  const titles = [endless, rightToLeft, ...otherScripts, 'Short']
  await door.call(token, 'save_bio_page', {
    page: { slug: 'hard', title: rightToLeft, description: endless.repeat(4), popup_id: popup },
    links: [
      ...titles.slice(0, 2).map((title) => ({ title, url: 'https://example.com/' })),
      { kind: 'header', title: endless, url: '' },
      ...titles.slice(2).map((title) => ({ title, url: 'https://example.com/' })),
      { kind: 'divider', title: '', url: '' },
    ],
    social_links: ['github', 'youtube', 'instagram', 'linkedin'].map((platform) => ({
      platform,
      url: `https://${platform}.com/hard`,
    })),
  })
}

async function addLeads(database: Database, id: string, popup: string): Promise<void> {
  await database.transactionAs({ role: 'hoplet_owner' }, async (db) => {
    await db.query('insert into app.audiences (user_id) values ($1) on conflict do nothing', [id])
    await db.query(
      `insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, source, state, unsubscribe_token, tags, created_at)
        select $1, $2, 1, case n when 1 then repeat('w', 60) || '@' || repeat('sub.', 40) || 'example.com'
            else 'reader' || n || '@example.com' end,
          'Write to me', repeat('x', 50), repeat('news', 20) || '.example',
          (array['confirmed', 'pending', 'unsubscribed'])[1 + n % 3], gen_random_uuid()::text,
          case n % 3 when 1 then $3::text[] else '{}' end, now() - n * interval '7 hours'
        from generate_series(1, 30) n`,
      [id, popup, tags.slice(0, 12)],
    )
  })
}
