import { useQueryClient } from '@tanstack/react-query'
import { linkHealthTexts } from '#domain/texts/link-texts.ts'
import { tables } from '#web/api/client.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { notifyError, notifyInfo, notifySuccess } from '#web/ui/toasts/notify.ts'
import { healthKey, readDestinationCheck } from './health-query.ts'

const pollMs = 1_000
const maxPolls = 60

/** Asks the server to check the destination of a link now, and waits for the result. */
export function useCheckAgain(userId: string, linkId: string) {
  const client = useQueryClient()
  return useAction(async () => {
    const { error } = await tables.rpc('check_destination', { _link: linkId })
    // The sentences of these refusals are for people.
    if (error !== null)
      return notifyError(
        error.code.startsWith('PT4')
          ? { ...linkHealthTexts.checkFailed, description: error.message }
          : linkHealthTexts.checkFailed,
      )
    const check = await resultOf(linkId).catch(() => undefined)
    if (check === undefined) notifyInfo(linkHealthTexts.checkLate)
    else if (check === null || check.finding === null) notifySuccess(linkHealthTexts.checkedFine)
    else notifyInfo(linkHealthTexts.checkedAgain)
    await Promise.all([
      client.invalidateQueries({ queryKey: healthKey(userId) }),
      client.invalidateQueries({ queryKey: ['links', userId] }),
    ])
  })
}

/** @returns undefined when it does not come within a minute */
async function resultOf(linkId: string) {
  for (let poll = 0; poll < maxPolls; poll++) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const check = await readDestinationCheck(linkId)
    if (check?.is_asked !== true) return check
  }
  return undefined
}
