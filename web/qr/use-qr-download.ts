import { useQueryClient } from '@tanstack/react-query'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { rememberQrCode } from '#web/session/checklist-memory.ts'
import { qrLimitInTheWay } from './qr-limit.ts'

const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

/** Saves a QR code, counts the download, and says which limit refuses it. */
export function useQrDownload(userId: string) {
  const client = useQueryClient()
  return useAction(async (save: () => Promise<void>) => {
    try {
      const limit = await qrLimitInTheWay(client, userId)
      if (limit !== null) return notifyError(qrLimitReachedNotice(limit))
      await save()
      notifySuccess(notices.downloaded)
      rememberQrCode(userId)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    }
  })
}
