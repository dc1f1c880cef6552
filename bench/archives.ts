import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { archivesOf } from '#test/transfer/archive-client.ts'
import { importsOf } from '#test/transfer/import-client.ts'
import { freePort } from '#test/free-port.ts'
import { newPicture, upload } from '#test/media/uploads.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { startBenchDatabase } from './shared/database.ts'
import { signUp } from './shared/people.ts'

// An account with 10,000 links (BENCH_LINKS) with rules and history, as many leads, 200,000 hits (BENCH_HITS) and 50 images becomes an archive,
// and an empty server reads it: seconds, bytes, and the peak of the memory of each server.

const links = Number(process.env['BENCH_LINKS'] ?? 10_000)
const hits = Number(process.env['BENCH_HITS'] ?? 200_000)
const images = 50
const folder = await mkdtemp(join(tmpdir(), 'hoplet-archives-'))
for (const name of ['one', 'two']) await mkdir(join(folder, name))
const source = await startBenchDatabase(join(folder, 'one'))
const target = await startBenchDatabase(join(folder, 'two'))
const servers = await Promise.all(
  [source, target].map(async ({ url }, at) =>
    startBuilt({
      DATABASE_URL: url,
      DATA_DIR: join(folder, `server-${at}`),
      PORT: String(await freePort()),
      PLANS: 'off',
      LINKS_PER_ACCOUNT: '1000000',
      RATE_LIMITS: 'off',
    }),
  ),
)
try {
  const [first, second] = servers as [BuiltServer, BuiltServer]
  const owner = await signUp(first.url)
  await plant(first, owner)
  print('before', { memoryMb: await memory(first) })
  const archives = archivesOf(first, owner)
  const making = performance.now()
  const asked = (await (await archives.ask('', { method: 'POST' })).json()) as { id: string }
  for (;;) {
    const { state, bytes, notice } = await archives.show(asked.id)
    if (state === 'failed') throw new Error(notice ?? 'failed')
    if (state === 'done') {
      const seconds = (performance.now() - making) / 1_000
      print('archive', { seconds, bytes: bytes ?? 0, memoryMb: await memory(first) })
      break
    }
    await sleep(250)
  }
  const file = await (await archives.ask(`/${asked.id}/file`)).arrayBuffer()
  print('sent', { memoryMb: await memory(first) })

  const imports = importsOf(second, await signUp(second.url))
  const reading = performance.now()
  const response = await imports.sendFile(file, 'hoplet-archive.zip')
  const { id } = (await response.json()) as { id: string }
  for (let isConfirmed = false; ;) {
    const { state, notice, results } = await imports.show(id)
    if (state === 'failed') throw new Error(notice ?? 'failed')
    if (state === 'ready' && !isConfirmed) {
      isConfirmed = true
      print('dry run', { seconds: (performance.now() - reading) / 1_000 })
      await imports.confirm(id)
    }
    if (state === 'done') {
      print('read', { seconds: (performance.now() - reading) / 1_000, ...results })
      break
    }
    await sleep(500)
  }
  print('reader', { memoryMb: await memory(second) })
} finally {
  for (const server of servers) await server.end('SIGTERM')
  await Promise.all([source.stop(), target.stop()])
  await rm(folder, { recursive: true, force: true })
}

async function plant(server: BuiltServer, owner: { id: string; headers: Record<string, string> }) {
  const planted = Array.from({ length: links }, (_, at) => ({
    code: `archived-${at}`,
    url: `https://shop.example/item/${at}?utm_source=news`,
  }))
  await plantLinks(source.sql, planted, owner.id)
  await source.sql(
    `insert into app.link_rules (link_id, rules)
      select id, jsonb_build_array(jsonb_build_object('id', gen_random_uuid(),
        'when', '[{"fact":"country","is":["DE"]}]'::jsonb, 'to', 'https://shop.example/de'))
      from app.shortened_urls where user_id = $1`,
    [owner.id],
  )
  await source.sql(
    `insert into app.link_history (link_id, from_url)
      select id, 'https://shop.example/before/' || n from app.shortened_urls, generate_series(1, 5) n where user_id = $1`,
    [owner.id],
  )
  await source.sql('insert into app.audiences (user_id) values ($1)', [owner.id])
  await source.sql(
    `insert into app.leads (user_id, popup_version, email, consent_text, state, unsubscribe_token, confirmed_at)
      select $1, 1, 'lead-' || n || '@example.com', 'We may email you.', 'confirmed', app.new_lead_token(), now()
      from generate_series(1, $2::integer) n`,
    [owner.id, links],
  )
  await source.sql(
    `insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
      select now() - n * interval '1 second', n % 1000, s.scope, s.account, 0, 0, 0, 'c', 'l'
      from generate_series(1, $2::integer) n, app.click_scopes_of(array[(select id from app.shortened_urls
        where user_id = $1 limit 1)]) s`,
    [owner.id, hits],
  )
  for (let at = 0; at < images; at++) {
    const { body } = await upload(server, owner, await newPicture(800, 600))
    await source.sql('insert into app.popups (user_id, title, image_url) values ($1, $2, $3)', [
      owner.id,
      `Popup ${at}`,
      body.imageUrl,
    ])
  }
}

/** Peak of the resident memory of the process since its start. */
async function memory({ process: { pid } }: BuiltServer): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

function print(name: string, figures: Record<string, unknown>): void {
  process.stdout.write(`${name} ${JSON.stringify(figures)}\n`)
}
