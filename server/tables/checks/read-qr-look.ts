import { QrLookError, readQrLook, type QrLook } from '#domain/qr/qr-look.ts'
import { problems } from '../errors.ts'

/** The complete look of QR codes, as it is stored. @throws {ProtocolError} 23514 with the first problem */
export function readLookOfQrCodes(value: unknown): QrLook {
  try {
    return readQrLook(value)
  } catch (error) {
    if (error instanceof QrLookError) throw problems.sentence(error.message)
    throw error
  }
}
