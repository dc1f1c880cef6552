import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { notices, qrLimitReachedNotice } from '#domain/texts.ts'
import { tables } from '#web/client.ts'
import { planQuery } from '#web/plan/plan.ts'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { useAction } from '#web/ui/use-action.ts'
import { rememberQrCode } from './checklist-memory.ts'

const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

interface QrDownload {
  userId: string
  /** The drawn code. */
  drawing: RefObject<SVGSVGElement | null>
}

/** Saves a drawn QR code, counts the download, and says which limit refuses it. */
export function useQrDownload({ userId, drawing }: QrDownload) {
  const client = useQueryClient()
  // Downloads on the free plan are neither counted nor limited.
  async function limitInTheWay(): Promise<number | null> {
    const plan = await client.ensureQueryData(planQuery(userId))
    if (plan === 'free') return null
    const { data } = await tables.rpc('increment_qr_usage', { _user_id: userId }).throwOnError()
    return data.allowed ? null : data.limit
  }

  return useAction(async (save: (drawn: SVGSVGElement) => void) => {
    try {
      const limit = await limitInTheWay()
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
