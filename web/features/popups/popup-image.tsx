import { useRef } from 'react'
import { ImageUpload } from '#web/image-upload.tsx'
import { PopupPicture } from './popup-picture.tsx'

interface PopupImageProps {
  imageUrl: string | null
  onChange: (imageUrl: string | null) => void
}

/** The picture of the popup, and a way to bring one's own. */
export function PopupImage({ imageUrl, onChange }: PopupImageProps) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="sr-only">Picture</legend>
      {imageUrl === null ? null : (
        <PopupPicture
          imageUrl={imageUrl}
          onRemove={() => {
            onChange(null)
            button.current?.focus()
          }}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ImageUpload ref={button} name="image_url" label="Upload picture" onUploaded={onChange} />
        <p className="text-sm text-ink-faint">PNG, JPEG or WebP, up to 5 MB</p>
      </div>
    </fieldset>
  )
}
