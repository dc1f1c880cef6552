import { useSingleMutation } from '#web/ui/use-single-mutation.ts'
import { Trash2, Upload } from 'lucide-react'
import { useRef, type ChangeEvent } from 'react'
import { popupNotices } from '#domain/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { noticeOf } from './user-facing-error.ts'
import { acceptedImages, uploadImage } from './upload-image.ts'

interface PopupImageProps {
  imageUrl: string | null
  onChange: (imageUrl: string | null) => void
}

/** The picture of the popup, generated or one's own. */
export function PopupImage({ imageUrl, onChange }: PopupImageProps) {
  const upload = useSingleMutation({ mutationFn: uploadImage })
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    // The same file can be chosen again after a failure.
    event.target.value = ''
    if (file === undefined) return
    upload.mutate(file, {
      onSuccess: (url) => {
        onChange(url)
        notifySuccess(popupNotices.imageUploaded)
      },
      onError: (error) => notifyError(noticeOf(error, popupNotices.uploadFailed)),
    })
  }

  return (
    <div className="grid gap-4 border-t border-line pt-5">
      {imageUrl === null ? null : (
        <div className="grid gap-3 sm:grid-cols-[10rem_1fr] sm:items-center">
          <img
            src={imageUrl}
            alt=""
            className="aspect-3/2 w-full rounded-2xl border border-line object-cover"
          />
          <Button
            size="small"
            className="justify-self-start"
            onClick={() => {
              onChange(null)
              button.current?.focus()
            }}
          >
            <Trash2 size={16} aria-hidden />
            <span>
              Remove<span className="sr-only"> image</span>
            </span>
          </Button>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
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
          ref={button}
          size="small"
          busy={upload.isPending}
          onClick={() => input.current?.click()}
        >
          <Upload size={16} aria-hidden />
          {upload.isPending ? 'Uploading...' : 'Upload your own'}
        </Button>
        <p className="text-sm text-ink-faint">PNG, JPEG or WebP, up to 5 MB</p>
      </div>
    </div>
  )
}
