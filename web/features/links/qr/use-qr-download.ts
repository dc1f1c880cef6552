import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { rememberQrCode } from '../list/checklist-memory.ts'
import { qrLimitInTheWay } from './qr-limit.ts'

const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

interface QrDownload {
  userId: string
  /** The drawn code. */
  drawing: RefObject<SVGSVGElement | null>
}

/** Saves a drawn QR code, counts the download, and says which limit refuses it. */
export function useQrDownload({ userId, drawing }: QrDownload) {
  const client = useQueryClient()
  return useAction(async (save: (drawn: SVGSVGElement) => void) => {
    try {
      const limit = await qrLimitInTheWay(client, userId)
      if (limit !== null) return notifyError(qrLimitReachedNotice(limit))
      if (drawing.current === null) return notifyError(failed)
      save(drawing.current)
      notifySuccess(notices.downloaded)
      rememberQrCode(userId)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    }
  })
}
