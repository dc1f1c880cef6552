import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newPicture, upload } from './uploads.ts'

const { media } = createConfig(parseVariables({}))
let server: TestServer
let ann: TestUser

beforeAll(async () => {
  server = await startTestServer({ media: { ...media, uploadsPerDay: 5 } })
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.sql('delete from app.media')
  ann = await makeUser(server)
})

const send = async (file: Uint8Array, user = ann) => {
  const { status, body } = await upload(server, user, file)
  expect([status, body.error]).toEqual([201, undefined])
  return body.imageUrl ?? ''
}
const showIn = async (imageUrl: string, user = ann) => {
  const [row] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, image_url) values ($1, 'x', $2) returning id`,
    [user.id, imageUrl],
  )
  return row?.id ?? ''
}
const age = (hours: number) =>
  server.sql('update app.media set unused_since = unused_since - make_interval(hours => $1)', [
    hours,
  ])
const status = async (imageUrl: string) => (await fetch(server.url + imageUrl)).status
const onDisk = (imageUrl: string) => {
  const name = imageUrl.replace('/media/', '')
  return access(join(server.context.config.dataDir, 'media', name.slice(0, 2), name)).then(
    () => true,
    () => false,
  )
}
const collect = () => server.context.media.collect()

describe('the daily limit', () => {
  it('holds for concurrent uploads: exactly the rest of the limit gets through', async () => {
    const files = await Promise.all(Array.from({ length: 20 }, () => newPicture()))
    const answers = await Promise.all(files.map((file) => upload(server, ann, file)))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(5)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15)
  })

  it('counts the same image once, and yesterday not at all', async () => {
    const file = await newPicture()
    for (let i = 0; i < 8; i++) await send(file)
    await server.sql(`update app.media set created_at = created_at - interval '1 day'`)
    for (let i = 0; i < 5; i++) await send(await newPicture())
    expect((await upload(server, ann, await newPicture())).status).toBe(429)
  })
})

describe('the space of a person', () => {
  it('takes images up to its bytes; known ones, and those of others, take none of it', async () => {
    const file = await newPicture()
    await send(file)
    await server.sql('update app.media set bytes = $1', [media.uploadBytes - 10_000])
    await send(await newPicture())
    await server.sql('update app.media set bytes = $1', [media.uploadBytes / 2])
    expect(await upload(server, ann, await newPicture())).toMatchObject({
      status: 413,
      body: { error: expect.stringContaining('no space left') as string },
    })
    await send(file)
    await send(await newPicture(), await makeUser(server))
  })
})

describe('unused images', () => {
  it('go after a day, with their bytes; used and young ones stay', async () => {
    const [old, used, absolute, young] = [
      await send(await newPicture()),
      await send(await newPicture()),
      await send(await newPicture()),
      await send(await newPicture()),
    ]
    await showIn(used)
    await showIn(`https://hop.example${absolute}`)
    await age(25)
    await server.sql('update app.media set unused_since = now() where hash = $1', [
      young.slice(7, 71),
    ])
    expect(await collect()).toBe(1)
    expect(await Promise.all([old, used, absolute, young].map(status))).toEqual([
      404, 200, 200, 200,
    ])
    expect([await onDisk(old), await onDisk(used)]).toEqual([false, true])
    expect(await collect()).toBe(0)
  })

  it('are no pictures of bio pages', async () => {
    const image = await send(await newPicture())
    await plantBio(server.sql, { columns: { user_id: ann.id, avatar_url: image } })
    await age(48)
    expect(await collect()).toBe(0)
    await server.sql('update app.bio_pages set avatar_url = null where user_id = $1', [ann.id])
    expect(await collect()).toBe(0)
    await age(25)
    expect(await collect()).toBe(1)
    expect(await status(image)).toBe(404)
  })

  it('are no pictures of links on bio pages, until a take-down', async () => {
    const image = await send(await newPicture())
    await plantBio(server.sql, {
      columns: { user_id: ann.id },
      links: [['One', 'https://example.com/']],
    })
    await server.sql(
      'update app.bio_links set image_url = $1 where bio_page_id in (select id from app.bio_pages where user_id = $2)',
      [image, ann.id],
    )
    await age(48)
    expect(await collect()).toBe(0)
    expect(await status(image)).toBe(200)
    await server.context.media.block(image.slice(7, 71))
    expect(await status(image)).toBe(404)
    expect(await server.sql('select from app.bio_links where image_url = $1', [image])).toEqual([])
  })

  it('are no pictures of previews of links, until a take-down', async () => {
    const image = await send(await newPicture())
    const { id } = await makeLink(server, ann, { preview_image_url: image })
    await age(48)
    expect(await collect()).toBe(0)
    expect(await status(image)).toBe(200)
    await server.context.media.block(image.slice(7, 71))
    expect(await status(image)).toBe(404)
    expect(
      await server.sql('select preview_image_url from app.shortened_urls where id = $1', [id]),
    ).toEqual([{ preview_image_url: null }])
  })

  it('count from when the last popup stopped using them', async () => {
    const image = await send(await newPicture())
    const popup = await showIn(image)
    await age(48)
    await collect()
    await server.sql('delete from app.popups where id = $1', [popup])
    expect(await collect()).toBe(0)
    await age(23)
    expect(await collect()).toBe(0)
    await age(2)
    expect(await collect()).toBe(1)
    expect(await status(image)).toBe(404)
  })

  it('stay while one of two owners still uses them', async () => {
    const file = await newPicture()
    const bob = await makeUser(server)
    const image = await send(file)
    await age(25)
    expect(await send(file, bob)).toBe(image)
    expect(await collect()).toBe(0)
    expect(await status(image)).toBe(200)
  })

  it('uploaded again in time stay, however often the collector runs meanwhile', async () => {
    const file = await newPicture()
    for (let i = 0; i < 10; i++) {
      await send(file)
      await age(25)
      const [image] = await Promise.all([send(file), collect()])
      expect([await status(image), await onDisk(image)]).toEqual([200, true])
    }
  })

  it('of a deleted account go too', async () => {
    const image = await send(await newPicture())
    await showIn(image)
    await server.sql('delete from auth.users where id = $1', [ann.id])
    await collect()
    await age(25)
    expect(await collect()).toBe(1)
    expect(await onDisk(image)).toBe(false)
  })
})

describe('an abusive image', () => {
  const takeDown = (image: string, user?: TestUser) =>
    fetch(server.url + image, { method: 'DELETE', ...(user && { headers: user.headers }) })

  it('can be taken down by an admin: gone from here and from popups, and it does not come back', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const file = await newPicture()
    const image = await send(file)
    const popup = await showIn(image)
    expect((await takeDown(image, admin)).status).toBe(204)
    expect([await status(image), await onDisk(image)]).toEqual([404, false])
    expect(await server.sql('select image_url from app.popups where id = $1', [popup])).toEqual([
      { image_url: null },
    ])
    expect(await upload(server, ann, file)).toMatchObject({
      status: 403,
      body: { error: 'This image was taken down' },
    })
  })

  it('that was taken down is not on a bio page any more, for the next visitor', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const image = await send(await newPicture())
    const { slug } = await plantBio(server.sql, {
      columns: { user_id: ann.id, avatar_url: image },
    })
    const page = async () => (await fetch(`${server.url}/${slug}`)).text()
    expect(await page()).toContain(`src="${image}"`)
    expect((await takeDown(image, admin)).status).toBe(204)
    await vi.waitFor(async () => expect(await page()).not.toContain(image), { timeout: 240_000 })
  })

  it('cannot be taken down by anyone else', async () => {
    const image = await send(await newPicture())
    expect((await takeDown(image)).status).toBe(401)
    expect((await takeDown(image, ann)).status).toBe(403)
    expect(await status(image)).toBe(200)
  })
})
