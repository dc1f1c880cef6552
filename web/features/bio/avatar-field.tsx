import { Trash2 } from 'lucide-react'
import { type CSSProperties, useRef } from 'react'
import { Avatar } from '#public-pages/bio/avatar.tsx'
import { themeProperties } from '#public-pages/colors.ts'
import { ImageUpload } from '#web/forms/image-upload.tsx'
import { Button } from '#web/ui/button.tsx'
import type { BioDraft } from './bio-draft.ts'
import { squarePicture } from './square-picture.ts'

interface AvatarFieldProps {
  draft: BioDraft
  onChange: (avatarUrl: string | null) => void
}

/** The picture of the page; without one there is the first letter of the title. */
export function AvatarField({ draft, onChange }: AvatarFieldProps) {
  const button = useRef<HTMLButtonElement>(null)
  const { title, avatarUrl, theme } = draft
  return (
    <fieldset aria-label="Picture" className="flex items-center gap-4">
      <span
        className="[&_.hp-avatar]:size-16! [&_.hp-avatar]:text-3xl!"
        style={themeProperties(theme) as CSSProperties}
      >
        <Avatar title={title} url={avatarUrl} />
      </span>
      <div className="grid gap-1.5">
        <div className="flex flex-wrap gap-2">
          <ImageUpload
            ref={button}
            label={avatarUrl === null ? 'Upload picture' : 'Change picture'}
            onUploaded={onChange}
            prepare={squarePicture}
          />
          {avatarUrl === null ? null : (
            <Button
              size="small"
              look="quiet"
              aria-label="Remove picture"
              onClick={() => {
                onChange(null)
                button.current?.focus()
              }}
            >
              <Trash2 size={16} aria-hidden />
              Remove
            </Button>
          )}
        </div>
        <p className="text-xs text-ink-faint">PNG, JPEG or WebP, up to 5 MB</p>
      </div>
    </fieldset>
  )
}
