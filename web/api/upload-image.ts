import { readImageUrl } from '#domain/popups/popup-generated.ts'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { fetchAsCaller } from '../session/caller.ts'
import { UserFacingError } from './user-facing-error.ts'

const kinds = ['image/png', 'image/jpeg', 'image/webp']
export const acceptedImages = kinds.join(',')

/** Stores a picture on the server and answers with its address. The server looks into it; this only saves the way. */
export async function uploadImage(file: File): Promise<string> {
  if (!kinds.includes(file.type)) throw refused('Please choose a PNG, JPEG or WebP picture')
  if (file.size > popupLimits.imageBytes) throw refused('Pictures can have at most 5 MB')
  const response = await fetchAsCaller('/media/uploads', {
    method: 'POST',
    headers: { 'Content-Type': file.type },
    body: file,
    signal: AbortSignal.timeout(60_000),
  })
  if (!response.ok) throw await UserFacingError.reasonOf(popupNotices.uploadFailed, response)
  const imageUrl = readImageUrl(await response.json())
  if (imageUrl === null) throw new UserFacingError(popupNotices.uploadFailed)
  return imageUrl
}

function refused(description: string): UserFacingError {
  return new UserFacingError({ title: popupNotices.uploadFailed.title, description })
}
