import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { codeOfLink } from '#domain/links/link-address.ts'
import { linkHealthTexts } from '#domain/texts/link-texts.ts'
import { tables } from '#web/api/client.ts'
import type { LinkRow, UnhealthyLink } from '#web/api/database.ts'
import { refusalNotice } from '#web/api/refusal-notice.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { changeLoadedLinks } from '../links-query.ts'
import { healthKey, readLinkHealth } from './health-query.ts'

/** A link that kept its address, with the reason. */
export interface RefusedUpdate {
  code: string
  reason: string
}

const waitMs = 5_000
const maxWaits = 24

/** Gives links the addresses to which their destinations moved: one, or all of the account. */
export function useUpdateMoved(userId: string) {
  const client = useQueryClient()
  const [updated, setUpdated] = useState(0)
  const [refused, setRefused] = useState<readonly RefusedUpdate[]>([])

  const update = async (link: UnhealthyLink): Promise<RefusedUpdate | undefined> => {
    const result = await updateAddress(link)
    if (typeof result === 'string') return { code: codeOfLink(link), reason: result }
    if (result !== null)
      changeLoadedLinks(client, (loaded) => (loaded.id === result.id ? result : loaded))
    return undefined
  }
  const reload = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: healthKey(userId) }),
      client.invalidateQueries({ queryKey: ['link-history'] }),
      client.invalidateQueries({ queryKey: ['account', userId] }),
    ])

  const one = useAction(async (link: UnhealthyLink) => {
    const refusal = await update(link)
    setRefused(refusal === undefined ? [] : [refusal])
    if (refusal === undefined) notifySuccess(linkHealthTexts.updated)
    await reload()
  })
  const all = useAction(async () => {
    const refusals: RefusedUpdate[] = []
    let count = 0
    setRefused([])
    setUpdated(0)
    try {
      for await (const link of allMoved()) {
        const refusal = await update(link)
        if (refusal !== undefined) refusals.push(refusal)
        else setUpdated(++count)
      }
      if (count > 0)
        notifySuccess({
          title: count === 1 ? linkHealthTexts.updated.title : `${count} addresses updated`,
        })
    } catch {
      notifyError(linkHealthTexts.updateFailed)
    }
    setRefused(refusals)
    await reload()
  })
  return { one, all, updated, refused }
}

/** Links that are updated meanwhile leave the list; the next page begins after the last link. */
async function* allMoved(): AsyncGenerator<UnhealthyLink> {
  let after: string | null = null
  for (;;) {
    const { links }: { links: UnhealthyLink[] } = await readLinkHealth('moved', after)
    yield* links
    const last = links.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

/** @returns the link; null when it changed or was deleted meanwhile; a sentence when it was refused */
async function updateAddress({
  id,
  original_url: oldUrl,
  new_url: newUrl,
}: UnhealthyLink): Promise<LinkRow | null | string> {
  for (let wait = 0; ; wait++) {
    const { data, error, status } = await tables
      .from('shortened_urls')
      .update({ original_url: newUrl ?? oldUrl })
      .eq('id', id)
      .eq('original_url', oldUrl)
      .select('*')
      .maybeSingle()
    if (error === null) return data
    // A limit of requests, or of changed rows.
    if (status === 429 && wait < maxWaits) {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      continue
    }
    const notice = refusalNotice(error)
    if (notice === undefined) return linkHealthTexts.updateFailed.description
    return notice.description === undefined
      ? notice.title
      : `${notice.title}: ${notice.description}`
  }
}
