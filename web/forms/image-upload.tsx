import { Upload } from 'lucide-react'
import { type ChangeEvent, type Ref, useRef } from 'react'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { scaledPicture } from './scaled-picture.ts'
import { Button } from '../ui/button.tsx'
import { notifyError, notifySuccess } from '../ui/toasts/notify.ts'
import { useSingleMutation } from '../ui/hooks/use-single-mutation.ts'
import { acceptedImages, uploadImage } from '../api/upload-image.ts'
import { noticeOf } from '../api/user-facing-error.ts'

interface ImageUploadProps {
  label: string
  /** By which a form finds the button. */
  name?: string
  onUploaded: (imageUrl: string) => void
  /** Makes another picture of the chosen one before it is sent. Default: one within the server's limits. */
  prepare?: (file: File) => Promise<File>
  ref: Ref<HTMLButtonElement>
}

/** A button that stores a picture from this device on the server, and says how that went. */
export function ImageUpload({
  label,
  name,
  onUploaded,
  prepare = scaledPicture,
  ref,
}: ImageUploadProps) {
  const upload = useSingleMutation({
    mutationFn: async (file: File) => uploadImage(await prepare(file)),
    // Those of the call would not come once the button has left the screen.
    onSuccess: (url) => {
      onUploaded(url)
      notifySuccess(popupNotices.imageUploaded)
    },
    onError: (error) => notifyError(noticeOf(error, popupNotices.uploadFailed)),
  })
  const input = useRef<HTMLInputElement>(null)

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    // The same file can be chosen again after a failure.
    event.target.value = ''
    if (file !== undefined) upload.mutate(file)
  }

  return (
    <>
      <input
        ref={input}
        type="file"
        accept={acceptedImages}
        aria-label="Picture file"
        tabIndex={-1}
        onChange={choose}
        className="hidden"
      />
      <Button
        ref={ref}
        name={name}
        size="small"
        busy={upload.isPending}
        onClick={() => input.current?.click()}
      >
        <Upload size={16} aria-hidden />
        {upload.isPending ? 'Uploading...' : label}
      </Button>
    </>
  )
}
