import { useQueryClient } from '@tanstack/react-query'
import { codeOfLink } from '#domain/links/link-address.ts'
import { limitReachedNotice } from '#domain/texts/plan-texts.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import { refusalNotice, type TableError } from '#web/api/refusal-notice.ts'
import { shortLinkUrl } from '#web/site.ts'
import { copyLater } from '#web/ui/hooks/use-copy.ts'
import { notifySuccessWith } from '#web/ui/toasts/notify-actions.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import type { OptionColumns } from '../change-link.ts'
import { deleteLinks } from '../change-link.ts'
import { changeLoadedLinks } from '../links-query.ts'
import { readLimit } from './create-link.ts'
import { useAttemptKey } from './use-attempt-key.ts'

interface ComposedLinks {
  urls: readonly string[]
  /** The host, '' for the server's own; undefined leaves it to the server. */
  domain: string | undefined
  popupId: string | null
  options: OptionColumns | undefined
}

interface MadeLink {
  id: string
  short_code: string
  domain: string | null
}

export type CreatedLinks =
  | { readonly ok: true; readonly links: readonly MadeLink[] }
  /** None was made. `refusals` has the sentences of the links that were refused, by their index. */
  | { readonly ok: false; readonly notice: Notice; readonly refusals: ReadonlyMap<number, string> }

/** Makes several links or none, copies their addresses, and says so. To be called while a press is handled. */
export function useCreateLinks(userId: string): (wanted: ComposedLinks) => Promise<CreatedLinks> {
  const client = useQueryClient()
  const attempts = useAttemptKey()

  async function undo(links: readonly MadeLink[]) {
    try {
      const ids = new Set(links.map(({ id }) => id))
      await deleteLinks([...ids])
      changeLoadedLinks(client, (other) => (ids.has(other.id) ? null : other))
      notifySuccess({ title: `${links.length} links deleted` })
      void client.invalidateQueries({ queryKey: ['account', userId] })
    } catch {
      notifyError({ title: 'Error', description: 'Failed to delete the links' })
    }
  }

  return async ({ urls, domain, popupId, options }) => {
    const { key } = attempts.keyFor(urls.join('\n'), null, { domain, popupId, ...options })
    const creation = createLinks({ urls, domain, popupId, options, key })
    const copying = copyLater(
      creation.then((made) =>
        made.ok ? made.links.map((link) => shortLinkUrl(codeOfLink(link))).join('\n') : null,
      ),
    )
    const result = await creation
    void client.invalidateQueries({ queryKey: ['account', userId] })
    void client.invalidateQueries({ queryKey: ['links', userId] })
    if (!result.ok) {
      if (result.refusals.size > 0) attempts.settle()
      return result
    }
    attempts.settle()
    notifySuccessWith(
      {
        title: `${result.links.length} links made`,
        description: (await copying) ? 'Their addresses are copied' : '',
      },
      [{ label: 'Undo', act: () => void undo(result.links) }],
    )
    return result
  }
}

async function createLinks({
  urls,
  domain,
  popupId,
  options,
  key,
}: ComposedLinks & { key: string }): Promise<CreatedLinks> {
  const shared = {
    ...(domain === undefined ? {} : { domain }),
    ...(popupId === null ? {} : { show_popup: true, popup_id: popupId }),
    ...options,
  }
  const { data, error } = await tables
    .rpc('create_links', {
      _links: urls.map((url) => ({ original_url: url, ...shared })),
      _all_or_nothing: true,
    })
    .setHeader('Idempotency-Key', key)
  if (error === null) {
    const answers = data as readonly { link: MadeLink }[]
    return { ok: true, links: answers.map(({ link }) => link) }
  }
  const refused = refusedLinks(error)
  const first = refused.find(({ error: { details } }) => readLimit(details) !== null)
  const limit = readLimit(first?.error.details ?? null)
  return {
    ok: false,
    notice:
      limit !== null
        ? limitReachedNotice(limit)
        : refused.length > 0
          ? { title: 'Error', description: error.message }
          : (refusalNotice(error) ?? notices.createFailed),
    refusals: new Map(
      limit === null ? refused.map(({ index, error: each }) => [index, sentenceOf(each)]) : [],
    ),
  }
}

/** The links that `create_links` refused, of its details. */
function refusedLinks({ details }: TableError): readonly { index: number; error: TableError }[] {
  try {
    const read: unknown = JSON.parse(details ?? '')
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

function sentenceOf(error: TableError): string {
  const { title, description = title } = refusalNotice(error) ?? { title: error.message }
  return description
}
