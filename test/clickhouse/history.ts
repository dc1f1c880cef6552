import type { TestServer } from '#test/server.ts'

/** Numbers and choices, the same for the same seed. */
export function randomsOf(seed: number) {
  let state = seed * 7_919 + 1
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const letter = (letters: string) => letters.charAt(below(letters.length))
  return { below, letter, of: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T }
}

interface History {
  links: readonly string[]
  popup: string
  surfaces: readonly string[]
  count: number
  days: number
  seed: number
}

/**
 * Hits and events of popups of many days, as `app.store_hits` gets them; with the origins, places and clients of earlier hits.
 */
export async function plantHistory(
  { sql }: Pick<TestServer, 'sql'>,
  { links, popup, surfaces, count, days, seed }: History,
): Promise<void> {
  const random = randomsOf(seed)
  const ids = async (text: string, values: unknown[] = []) =>
    (await sql<{ id: number }>(text, values)).map(({ id }) => id)
  const scopesOf = (refs: readonly string[]) =>
    ids('select scope as id from app.click_scopes_of($1) order by ref', [refs])
  const scopes = await scopesOf(links)
  const [popupScope = 0] = await scopesOf([popup])
  const shownOn = await scopesOf(surfaces)
  const [account = 0] = await ids(
    'select a.id from app.click_scopes s join app.click_scopes a on a.ref = s.user_id where s.id = $1',
    [popupScope],
  )
  const parts = {
    origins: await ids('select id from app.click_origins order by id'),
    places: await ids('select id from app.click_places order by id'),
    clients: await ids('select id from app.click_clients order by id'),
  }
  const at = () => Date.now() - random.below(days * 86_400_000)
  const visitor = () => random.below(300)
  const verdict = () => random.letter('cccccrrohfpbm')
  const columnsOf = (rows: unknown[][]) =>
    (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]).join('\n'))
  const hits = Array.from({ length: count }, () => [
    at(),
    visitor(),
    random.of(scopes),
    account,
    random.of(parts.origins),
    random.of(parts.places),
    random.of(parts.clients),
    random.letter('cccccrrohfpbmii'),
    random.letter('llqbpa'),
  ])
  // Alike in time and visitor: only their order tells pages apart.
  for (let index = 0; index < 60; index++) hits[index] = [...(hits[0] ?? [])]
  await sql('select app.store_hits($1)', [columnsOf(hits)])
  const events = Array.from({ length: count / 3 }, () => [
    at(),
    visitor(),
    popupScope,
    random.of(shownOn),
    account,
    random.letter('sssbkencmrl'),
    verdict(),
  ])
  await sql('select app.store_popup_events($1)', [columnsOf(events)])
}
